/** The pool of warm browsers: limits, with their units in their names. */
export const poolLimits = {
  browserCheckMs: 5_000,
  browserStaleMs: 10 * 60_000,
  browserBootBackoffMs: 500,
  browserBootBackoffMaxMs: 30_000,
  refillCalmMs: 250,
  claimRetryAfterSeconds: 5,
} as const
