/** Sessions on a host: limits, with their units in their names. */
export const hostedSessionLimits = {
  endedSessionsRemembered: 10_000,
  reconcileMs: 5_000,
  /** Consecutive `not_found` answers after which a session counts as unknown. */
  notFoundAnswers: 2,
  /** How long the preview of a session is cached for other viewers of lists. */
  glanceKeptMs: 2_000,
  glancePages: 20,
} as const
