/** Logins with sites: limits, with their units in their names. */
export const siteLoginLimits = {
  /** Of one tenant. */
  loginsPerTenant: 1_000,
  changeAttempts: 20,
  /** From a command's acceptance to its last wait; agents refuse commands that come later. */
  ticketLifeMs: 180_000,
  /** A code with less time left is not given: it has to be typed, sent and checked. */
  codeLeftMs: 4_000,
  /** An answer may wait for the next code. */
  answerMs: 45_000,
} as const
