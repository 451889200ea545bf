/** Displays: limits, with their units in their names. */
export const displayLimits = {
  displayStartMs: 10_000,
  /** How long a browser's end waits for the report that its X server ended first. */
  displayBlameMs: 50,
} as const
