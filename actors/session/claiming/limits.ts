/** Sessions: limits, with their units in their names. */
export const sessionActorLimits = {
  /** For a browser to close, and its profile to be stored. */
  profileSaveMs: 120_000,
  /** How long a new session waits for one that is ending and saves its profile. */
  profileWaitMs: 30_000,
  profileLookMs: 500,
  /** And for one that runs, because a client may just have closed its browser. */
  profileClosingMs: 1_000,
  /** A session that is not known may still be about to be recorded. */
  profileUnknownMs: 10_000,
} as const
