/** The live view: limits, with their units in their names. */
import { MiB } from '../../proto/units.ts'

export const liveLimits = {
  liveViewersPerSession: 32,
  liveBinaryBytes: 1 * MiB,
  /** Pending requests of one viewer with a clipboard or text, each of up to `liveTextBytes`. */
  viewerRequestsWaiting: 16,
  /**
   * Above this number of bytes unsent to a viewer, the desktop is not read until half of it is
   * left.
   */
  livePauseBytes: 1 * MiB,
  /**
   * Bytes unsent to the desktop, which reads as fast as it draws; beyond this the viewer is
   * disconnected.
   */
  liveToDesktopBytes: 2 * MiB,
  rfbEncodings: 1_024,
  rfbCutTextBytes: 1 * MiB,
  rfbKeysHeld: 64,
  screencastFramesInFlight: 2,
  screencastQuality: 80,
  screencastSidePx: 4_096,
  screencastPages: 64,
  /** How often the tab in front is determined while there are several. */
  screencastTabsMs: 500,
  screencastTextChars: 10_000,
  screencastInputsUnanswered: 128,
  /** How long the title of the page is cached for a viewer that requests it again. */
  titleFreshMs: 2_000,
  titleChars: 300,
  tabsShown: 100,
  shareMinutes: 24 * 60,
  viewersAskMs: 1_000,
  viewedSessionsPerPeer: 10_000,
} as const
