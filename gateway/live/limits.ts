/** The live view: limits, with their units in their names. */
import { MiB } from '../../proto/units.ts'

export const liveLimits = {
  liveViewersPerSession: 32,
  liveBinaryBytes: 1 * MiB,
  /** Pending clipboards and texts of one viewer, each up to `liveTextBytes`. */
  viewerRequestsWaiting: 16,
  /**
   * With this much unsent to a viewer, the desktop is not read; it is again when half of it is
   * left.
   */
  livePauseBytes: 1 * MiB,
  /**
   * Unsent to the desktop, which reads as fast as it draws; beyond it the viewer is disconnected.
   */
  liveToDesktopBytes: 2 * MiB,
  rfbEncodings: 1_024,
  rfbCutTextBytes: 1 * MiB,
  rfbKeysHeld: 64,
  screencastFramesInFlight: 2,
  screencastQuality: 80,
  screencastSidePx: 4_096,
  screencastPages: 64,
  /** How often the tab in front is looked up while there are several. */
  screencastTabsMs: 500,
  screencastTextChars: 10_000,
  screencastInputsUnanswered: 128,
  /** A viewer that asks for the title of the page again gets the same one for this long. */
  titleFreshMs: 2_000,
  titleChars: 300,
  tabsShown: 100,
  shareMinutes: 24 * 60,
  viewersAskMs: 1_000,
  viewedSessionsPerPeer: 10_000,
} as const
