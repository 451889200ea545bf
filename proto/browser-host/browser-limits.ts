/** Limits of what is done to a browser: its desktop, its pages, and what is read from them. */
export const KiB = 1024
export const MiB = 1024 * KiB

export const browserLimits = {
  // Restricted networks
  networkPolicyMs: 5_000,
  /** From the request to its answer. */
  restrictMs: 15_000,
  networkPolicyPollMs: 5,
  /** The newest refused hosts that an action's outcome lists. */
  refusedHosts: 20,
  /** How often a node agent reports, for the audit, what its browsers were refused. */
  refusalReportMs: 5_000,
  /** Tasks of one session whose epochs are remembered. */
  tasksFenced: 1_000,

  // Input
  displayConnectMs: 5_000,
  displayAnswerMs: 5_000,
  inputActionsQueued: 256,
  doubleClickGapMs: 20,
  dragSteps: 16,
  dragStepMs: 12,
  /** The first movement of a drag; enough for Chromium to recognise a drag. */
  dragNudgePx: 6,
  /** Pause around a drag, because the browser picks up and hit-tests asynchronously. */
  dragDwellMs: 100,
  scrollUnits: 1_000,
  scrollSteps: 100,
  scrollStepMs: 16,
  /** How long typing waits after a shortcut, which may move the keyboard focus. */
  shortcutEffectMs: 100,
  /**
   * How long keys wait after a click: they could overtake it, since the browser first looks up its
   * frame.
   */
  clickEffectMs: 60,
  /** Keystrokes sent before the display is asked whether it keeps up. */
  strokesAtOnce: 128,
  /** Typable characters between two untypable ones that are pasted together with them. */
  pasteBridgeChars: 64,
  /** Silence of a program that was asked for its clipboard, or that reads ours in parts. */
  clipboardAnswerMs: 3_000,
  clipboardTargets: 256,
  clipboardTransfers: 16,
  /** One X request can carry 256 KiB. */
  clipboardPartBytes: 240 * KiB,
  /** How long the browser may take to put a selection on the clipboard, or to ask for the text. */
  copyMs: 4_000,
  pasteTakenMs: 4_000,
  /**
   * A paste is over when the browser has not asked for this long, and for several of its longest
   * pause.
   */
  pasteQuietMs: 60,
  /**
   * Longer after the first request, which is only a check: a slow browser got the restored text
   * when it asked for real.
   */
  pasteQuietAfterFirstMs: 1_500,
  pasteQuietPauses: 4,
  pasteQuietMaxMs: 1_500,
  pasteQuietMsPerByte: 1_000 / (4 * MiB),
  pasteQuietInAllMs: 10_000,

  // Page commands
  snapshotTokens: 8_000,
  snapshotTokensMin: 100,
  snapshotTokensMax: 50_000,
  findChars: 1_000,
  extractChars: 1_000_000,
  scriptChars: 100_000,
  selectedOptions: 100,
  inlineFileChars: 4 * MiB,
  waitForMs: 110_000,
  /** Text about what an action has changed. */
  changesTokens: 2_000,
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
  /** Poll interval of a page that reports no changes; below, the least pause if it reports many. */
  waitLookMs: 500,
  waitPauseMs: 30,
  networkQuietMs: 500,
  fileChooserMs: 2_000,
  scriptMs: 30_000,
  toolWaitMs: 60_000,
  scriptErrorChars: 2_000,
  consoleLines: 500,
  consoleLineChars: 2_000,
  requestsRecorded: 500,

  // Snapshots
  /** Characters of one text, one name and one value in a snapshot. */
  snapshotTextChars: 300,
  snapshotNameChars: 160,
  snapshotValueChars: 160,
  /** Time limit of one walk over a page. */
  snapshotWalkMs: 1_500,
  /** How long to wait for a page that has nothing to show yet, and the pause between two looks. */
  emptyPageMs: 2_000,
  emptyPageLookMs: 40,
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
  /** Refs that are remembered in order to recognise stale ones. */
  refsRemembered: 20_000,

  // Pages
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
  screenshotMs: 20_000,
  /** Chromium draws nothing beyond the texture size of a GPU. */
  screenshotSidePx: 16_384,
  scrollThroughScreens: 100,
  pdfMs: 60_000,
  /** Before base64; leaves room for the rest of an answer on the bus. */
  screenshotBytes: 7.5 * MiB,
  /** Keystrokes that are on their way to a page at once. */
  pageStrokesAtOnce: 64,
  /** Measured: how far Chromium scrolls for one notch of a wheel under X. */
  wheelUnitPx: 120,
} as const
