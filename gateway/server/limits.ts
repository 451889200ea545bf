/** The HTTP server: limits, with their units in their names. */
import { KiB, MiB } from '../../proto/units.ts'

export const serverLimits = {
  /** How many bytes of a refused body are drained, so that the client can read the refusal. */
  bodyDrainBytes: 32 * MiB,
  headerBytes: 16 * KiB,
  /**
   * From the first byte of a connection, or of its next request, until its headers are complete.
   */
  requestHeadMs: 10_000,
  /**
   * Silence while a body arrives or an answer is sent; uWebSockets.js has the same limit built in.
   */
  requestSilenceMs: 10_000,
  /** How long a refused connection stays, so that its client can read the refusal. */
  refusalReadMs: 2_000,
  /** Between two requests of a connection; uWebSockets.js has the same limit built in. */
  keepAliveMs: 10_000,
  connectionCheckMs: 2_000,
  /**
   * Connections without a request: beyond them, the one that has waited longest is closed. Only for
   * node:http.
   */
  connectionsWaitingMax: 1_024,
  /** Per connection, for clients that send requests without waiting for the answers. */
  requestsUnanswered: 32,
  portProbeMs: 500,
  /** How many free ports are tried, if another process takes the chosen one first. */
  freePortAttempts: 10,

  /** Unread bytes of a streamed body above which its sender is paused. */
  streamBufferBytes: 256 * KiB,

  cdpToBrowserBytes: 100 * MiB,
  /** Larger messages are sent in frames of this size, so that progress can be seen. */
  socketFrameBytes: 4 * MiB,
  /** Fragments of one message from a client. */
  socketFragments: 64 * KiB,
  cdpBufferedBytes: 132 * MiB,
  cdpPauseBytes: 4 * MiB,
  jsonBodyBytes: 1 * MiB,
} as const
