/** Sessions on a host: limits, with their units in their names. */
export const hostedSessionLimits = {
  endedSessionsRemembered: 10_000,
  reconcileMs: 5_000,
  /** Consecutive answers before a session counts as unknown. */
  notFoundAnswers: 2,
  /** What a look at a session shows, and for how long it is shown to others who look. */
  glanceKeptMs: 2_000,
  glancePages: 20,
} as const
