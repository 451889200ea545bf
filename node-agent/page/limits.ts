/** Pages and their snapshots: limits, with their units in their names. */
import { MiB } from '../../proto/units.ts'

export const pageLimits = {
  /** Chromium learns within this time which features a document uses. */
  usedFeaturesEveryMs: 1_000,

  /** The first movement of a drag; enough for Chromium to recognise a drag. */
  dragNudgePx: 6,
  dragNudgeSteps: 2,
  /** Motions to the end of a drag; the page draws a frame for each. */
  dragSteps: 8,
  /** The least time between two of these motions. */
  dragMotionMs: 16,

  /** Text about what an action has changed. */
  changesTokens: 2_000,
  /** An element that keeps moving for this long is acted on where it is. */
  restMs: 1_000,
  /**
   * The least time for the first check of an element, even if the caller gives less, and how much
   * longer than the given time the last one may take.
   */
  oneLookMs: 500,
  lateLookMs: 100,
  /**
   * How long to look again for a target that disappeared, or moved, when the pointer reached it.
   */
  swappedMs: 1_000,
  /** How often the pointer follows a target that moves away from it. */
  approaches: 3,
  /** For a frame and what an editor does in it. */
  editorSettlesMs: 40,
  /** After this time, every editor has noticed a selection. */
  selectionSeenMs: 120,
  /** How often an editor is asked whether it has taken a text. */
  editorLooks: 4,
  /** Points of an element that are tried in order to find one that is not covered. */
  spotsTried: 15,
  matchesLookedAt: 20,
  optionsTold: 50,
  /** A longer text is inserted at once instead of one key per character. */
  strokedChars: 8,
  /**
   * How long an action's effect may take to appear: on the page, in its requests, in its document.
   */
  settleFramesMs: 250,
  settleRequestsMs: 1_500,
  settleDocumentMs: 10_000,
  /** A request that is repeated so soon after its answer is a long poll. */
  pollAgainMs: 500,
  /** Poll interval of a page that reports no changes; below, the least pause if it reports many. */
  waitLookMs: 500,
  waitPauseMs: 30,
  networkQuietMs: 500,
  fileChooserMs: 2_000,
  /** How long a page may take to say whether it takes dragged files, and how often it is asked. */
  dropTakenMs: 1_000,
  dragOverMs: 50,
  scriptMs: 30_000,
  scriptErrorChars: 2_000,
  consoleLines: 500,
  consoleLineChars: 2_000,
  requestsRecorded: 500,
  /** In the page's process, once they are wanted. */
  bodiesKeptBytes: 20 * MiB,

  snapshotNameChars: 160,
  snapshotValueChars: 160,
  /** Time limit of one walk over a page. */
  snapshotWalkMs: 1_500,
  /** How long to wait for a page that has no content yet, and the pause between two checks. */
  emptyPageMs: 2_000,
  emptyPageLookMs: 40,
  /** How long to wait, once, for the content of a frame. */
  emptyFrameMs: 1_000,
  /** How long a snapshot may test which elements are covered. */
  coversMs: 25,
  snapshotLines: 2_000,
  findWalkMs: 4_000,
  findLines: 200_000,
  /** Per walk; each character takes at most six bytes in the answer. */
  walkedChars: 4_000_000,
  /** Out-of-process frames of one page. */
  framesRead: 50,
  /** Elements whose listeners or closed shadow roots are resolved for one snapshot. */
  listenersResolved: 1_000,
  /**
   * With more listeners, the document is described in one call first, if it has few enough
   * elements.
   */
  listenersAsked: 100,
  describedElements: 30_000,
  describedChars: 4_000_000,
  closedRootsAsked: 200,
  /** Elements that are searched for handlers that only a framework knows. */
  handlersLookedAt: 20_000,
  /** Refs that are remembered in order to recognise stale ones. */
  /** In one tab. The next agent of a browser begins its refs beyond those of the one before. */
  refsOfOneAgent: 10_000,
  refsRemembered: 20_000,

  /** How long a page may take to answer one call. */
  pageCallMs: 5_000,
  /** How long a page may take to handle one input event, such as a paste of several MiB. */
  inputMs: 30_000,
  /** A page that does not answer for this long counts as the visible tab. */
  tabLookMs: 250,
  tabEnableMs: 1_000,
  /** How long a navigation that left the page as it is may take to become a download. */
  downloadBeginMs: 500,
  /**
   * How long a loaded page may take to draw its first frame; until then Chromium drops its input.
   */
  firstFrameMs: 500,
  selectorPollMs: 50,
  tabCloseMs: 5_000,
  tabShownMs: 1_000,
  /** Refs in one picture. */
  marksDrawn: 1_000,
  /** For each slice of a high picture. */
  screenshotMs: 20_000,
  /** Of a picture that is higher than Chromium draws at once: 16 MiB in Chromium at 1,000 px of width. */
  pictureSlicePx: 4_096,
  pictureSlices: 40,
  /** Of all slices. Measured: 9 s for 47 million, on two cores. */
  picturePixels: 100_000_000,
  /** How much larger a slice is in the whole at most: Chromium compresses better. Measured: 1.21. */
  pictureGrowth: 1.35,
  /** A small picture for lists of sessions: about 8 KiB. */
  glanceWidthPx: 320,
  glanceHeightPx: 240,
  glanceQuality: 60,
  glanceMs: 2_000,
  scrollThroughScreens: 100,
  pdfMs: 60_000,
  /** How many keystrokes may be in flight to a page at once. */
  pageStrokesAtOnce: 64,
  /** Measured: how far Chromium scrolls for one notch of a wheel under X. */
  wheelUnitPx: 120,
} as const
