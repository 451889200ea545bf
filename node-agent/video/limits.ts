/** Videos of sessions: limits, with their units in their names. */
import { MiB } from '../../proto/units.ts'

export const videoLimits = {
  /** Between two pictures: ten a second. */
  pictureEveryMs: 100,
  /** Without a picture after one that Chromium may have dropped, the page is asked for its last one. */
  quietMs: 400,
  /** How often it is checked which page is in front. */
  frontPageMs: 1_000,
  /** Of JPEGs: the encoder needs some more than a person would. */
  pictureQuality: 70,
  /** Longer sides are scaled down. */
  sidePx: 1_280,
  /** Pictures of so long are encoded together, or of longer, if there are few. */
  sliceMs: 10_000,
  slicePictures: 50,
  sliceMsMax: 120_000,
  /** Pictures that a slow disk has not taken yet; more are dropped. */
  writesWaiting: 10,
  /** The same picture again, so that players can jump to any place. */
  repeatEveryMs: 2_000,
  /** Of pictures of one session that are not encoded yet; from half of it on, fewer are kept. */
  waitingBytes: 64 * MiB,
  /** Between two pictures while the encoder is behind. */
  behindEveryMs: 1_000,
  /** Of the encoder's process: while the session runs, and when somebody waits for its video. */
  niceBeside: 19,
  niceAfter: 10,
  /** For the encoder to end: ten seconds of video take it a second or two of a free processor. */
  encodeMs: 300_000,
  encoderMemoryBytes: 2_048 * MiB,
  encoderCpuSeconds: 120,
  /** Of one encoded slice or video. */
  encodedBytes: 4_096 * MiB,
  /** Of the video of one session; its recording ends there. */
  videoBytes: 2_048 * MiB,
  sweepEveryMs: 600_000,
  /** Of parts of videos that are files of their own: how many there are at once, and for how long. */
  clips: 4,
  clipKeptMs: 60_000,
  /** Of one answer, which has to fit into a message. */
  chunkBytes: 512 * 1024,
} as const
