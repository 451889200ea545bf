/** Blobs: limits, with their units in their names. */
import { KiB, MiB } from '../../proto/units.ts'

export const blobLimits = {
  /** What is sealed as one: a range of a blob is opened without the rest. */
  sealedChunkBytes: 64 * KiB,
  /** Of one request or answer; below the message limit of every nats-server. */
  partBytes: 512 * KiB,
  /** Requests about one blob that are under way at once. */
  partsAtOnce: 4,
  partMs: 10_000,
  /** Longer than a large blob takes over a slow network. */
  ticketLifeMs: 10 * 60_000,
  /** A folder takes no more blobs if its disk would have less room left. */
  diskFreeBytes: 256 * MiB,
  /** What no record names is removed after this time: its writer has given up. */
  orphanKeptMs: 60 * 60_000,
  sweepMs: 10 * 60_000,
} as const
