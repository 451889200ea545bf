/** Limits of connections to browsers. */
export const browserHostLimits = {
  /**
   * Chromium lets 10 connections wait until it accepts them. The kernel drops further ones, which are
   * tried again a second later.
   */
  dialsAtOnce: 8,
  /**
   * To reach a browser's DevTools, the wait for one's turn included. Generous: on a busy host,
   * Chromium takes seconds to accept a burst of connections.
   */
  devtoolsDialMs: 10_000,
  /** Connections that the relay into a browser's own network lets wait until it accepts them. */
  relayBacklog: 128,
} as const
