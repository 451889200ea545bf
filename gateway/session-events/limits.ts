/** Events of sessions: limits, with their units in their names. */
export const sessionEventLimits = {
  /** How long an event may wait for others; less than the host waits for it before it writes. */
  sendAfterMs: 100,
  /** Of one session in one message; more are counted only. */
  eventsPerMessage: 100,
} as const
