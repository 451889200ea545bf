/** Pages and their snapshots: limits, with their units in their names. */

export const pageLimits = {
  /** The first movement of a drag; enough for Chromium to recognise a drag. */
  dragNudgePx: 6,
  dragNudgeSteps: 2,
  /** Motions to the end of a drag; each takes the page a frame. */
  dragSteps: 8,
  /** The least time between two of them. */
  dragMotionMs: 16,

  /** Text about what an action has changed. */
  changesTokens: 2_000,
  /** What does not come to rest within this time is acted on where it is. */
  restMs: 1_000,
  /**
   * How long the first look at an element may take, even if its caller gives less time, and how
   * much longer than given the last one.
   */
  oneLookMs: 500,
  lateLookMs: 100,
  /** How long a target is looked for again that went, or moved, when the pointer came. */
  swappedMs: 1_000,
  /** How often the pointer comes to a target that goes away from it. */
  approaches: 3,
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
  scriptMs: 30_000,
  scriptErrorChars: 2_000,
  consoleLines: 500,
  consoleLineChars: 2_000,
  requestsRecorded: 500,

  snapshotNameChars: 160,
  snapshotValueChars: 160,
  /** Time limit of one walk over a page. */
  snapshotWalkMs: 1_500,
  /** How long to wait for a page that has nothing to show yet, and the pause between two looks. */
  emptyPageMs: 2_000,
  emptyPageLookMs: 40,
  /** How long to wait, once, for the content of a frame. */
  emptyFrameMs: 1_000,
  /** How long a snapshot looks for what covers its elements. */
  coversMs: 25,
  snapshotLines: 4_000,
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
  refsRemembered: 20_000,

  /** How long a page may take to answer one call. */
  pageCallMs: 5_000,
  /** How long a page may take to handle one input event, such as a paste of several MiB. */
  inputMs: 30_000,
  /** A page that does not answer for this long counts as the visible tab. */
  tabLookMs: 250,
  tabEnableMs: 1_000,
  /** How long a loaded page may take to its first frame; until then Chromium drops its input. */
  firstFrameMs: 500,
  selectorPollMs: 50,
  tabCloseMs: 5_000,
  tabShownMs: 1_000,
  /** Refs in one picture. */
  marksDrawn: 1_000,
  screenshotMs: 20_000,
  /** A small picture for lists of sessions: about 8 KiB. */
  glanceWidthPx: 320,
  glanceHeightPx: 240,
  glanceQuality: 60,
  glanceMs: 2_000,
  scrollThroughScreens: 100,
  pdfMs: 60_000,
  /** Keystrokes that are on their way to a page at once. */
  pageStrokesAtOnce: 64,
  /** Measured: how far Chromium scrolls for one notch of a wheel under X. */
  wheelUnitPx: 120,
} as const
