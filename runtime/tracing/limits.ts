/** Traces: limits, with their units in their names. */
export const tracingLimits = {
  /** How long the end of a process waits for the last spans to be sent. */
  flushMs: 2_000,
  faultLogMs: 60_000,
} as const
