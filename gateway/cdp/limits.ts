/** The CDP relay: limits, with their units in their names. */
export const cdpLimits = {
  cdpClientsPerSession: 64,
  /**
   * A session that belongs to a socket is ended by the gateway that has the socket. If that gateway
   * dies, the session ends after this idle time.
   */
  ownSessionIdleMinutes: 1,
  ownSessionMinutesMax: 1_440,
} as const
