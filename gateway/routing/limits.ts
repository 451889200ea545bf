/** Requests and their repeats: limits, with their units in their names. */
import { KiB } from '../../proto/units.ts'

export const routingLimits = {
  /** Per address and gateway; a correct key is always accepted. */
  wrongKeysPerMinute: 60,
  wrongKeyAddresses: 10_000,
  /** Sent with refusals that have no better estimate. */
  retryAfterSeconds: 5,
  idempotencyKeyChars: 255,
  /** Size of an answer that is kept for repeated requests. */
  idempotencyBytes: 256 * KiB,
  /**
   * How often a gateway marks a request as in progress; unmarked for `idempotencyStaleMs`, a repeat
   * may run.
   */
  idempotencyRenewMs: 30_000,
  idempotencyStaleMs: 150_000,
  /** Attempts, if several gateways get the same key at once. */
  idempotencyTries: 4,

  /**
   * A held request is answered with white space from then on, because Node's `fetch` waits five
   * minutes.
   */
  keepAliveReplyAfterMs: 4 * 60_000,
  /** The interval of that white space, because uWebSockets.js waits ten seconds. */
  keepAliveReplyBeatMs: 5_000,
} as const
