/** Masks of sensitive data: limits, with their units in their names. */
export const maskLimits = {
  /** Texts of hidden elements that answers are searched for; the oldest is forgotten. */
  textsRemembered: 500,
  /** Shorter ones are hidden on screen only: they are no secret, and occur everywhere. */
  textCharsLeast: 3,
  /** How long a page may take to tell them; one that shows a dialog does not. */
  tellMs: 1_000,
} as const
