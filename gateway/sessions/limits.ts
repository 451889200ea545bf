/** Routes of sessions: limits, with their units in their names. */
export const gatewaySessionLimits = {
  statusRows: 1_000,
  /** Of all tasks of a session. */
  stepsShown: 1_000,
  sessionsEndedAtOnce: 16,
  /** One day per request. */
  extendMinutes: 24 * 60,

  /** A silent client is pinged after `cdpPingIdleMs` and disconnected after `cdpSilenceMs`. */
  cdpPingIdleMs: 30_000,
  cdpSilenceMs: 5 * 60_000,
  /**
   * Pause before a browser that closed a socket is probed: while it closes, it may still answer.
   */
  closeProbeMs: 500,

  /**
   * How long a gateway stays attached after the last command, so that the next one need not attach.
   */
  attachmentLingerMs: 5_000,
  /** How long a restarted agent may take until it serves the sessions of the one before. */
  agentBackMs: 5_000,
  agentBackRetryMs: 50,
  successorPollMs: 250,
} as const
