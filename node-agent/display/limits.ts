/** Displays: limits, with their units in their names. */
export const displayLimits = {
  displayStartMs: 10_000,
  /** Interval of the looks at processes that an earlier agent has started. */
  displayLookMs: 500,
  /**
   * How long the end of a browser waits for the X server's exit, to find out which process ended
   * first.
   */
  displayBlameMs: 50,
} as const
