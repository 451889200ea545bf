/** Requests and their repeats: limits, with their units in their names. */
import { KiB } from '../../proto/units.ts'

export const routingLimits = {
  /** Per address and gateway; a correct key is always accepted. */
  wrongKeysPerMinute: 60,
  wrongKeyAddresses: 10_000,
  /** Sent with refusals for which there is no better estimate. */
  retryAfterSeconds: 5,
  idempotencyKeyChars: 255,
  /** The largest answer that is stored for repeated requests. */
  idempotencyBytes: 256 * KiB,
  /** What a stored record needs besides its value. */
  recordOverheadBytes: 160,
  /** Tenants whose stored answers are counted. */
  answerTenantsMax: 10_000,
  /** Length of each text in the body of an error, which may contain what the caller sent. */
  errorTextChars: 4_000,
  errorTextsMax: 100,
  /** Faults of one body that its refusal names. */
  faultsTold: 20,
  /** Length of the name of a field that the caller sent, in the text of an error. */
  errorNameChars: 100,
  /**
   * How often a gateway renews the record of a running request; without renewal for
   * `idempotencyStaleMs`, a repeat may run.
   */
  idempotencyRenewMs: 30_000,
  idempotencyStaleMs: 150_000,
  /** Attempts to write the record, if several gateways get the same key at once. */
  idempotencyTries: 4,

  /**
   * When a held request starts to be answered with white space, because Node's `fetch` waits five
   * minutes.
   */
  keepAliveReplyAfterMs: 4 * 60_000,
  /** The interval of that white space, because uWebSockets.js waits ten seconds. */
  keepAliveReplyBeatMs: 5_000,
} as const
