/** Filling in logins: limits, with their units in their names. */
export const fillLimits = {
  formPollMs: 100,
  /** A field that the site makes up from what was filled in before it. */
  fieldMs: 3_000,
  /** Shorter values are hidden in their field only: they are no secret, and occur everywhere. */
  hiddenCharsLeast: 3,
} as const
