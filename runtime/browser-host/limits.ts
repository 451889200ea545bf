/** Limits of connections to browsers. */
export const browserHostLimits = {
  /**
   * Chromium lets 10 connections wait until it accepts them. The kernel drops further ones, which are
   * tried again a second later.
   */
  dialsAtOnce: 8,
} as const
