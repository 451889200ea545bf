/** The bounds of what is done to a browser: its desktop, its pages, what is read of them. */
export const KiB = 1024
export const MiB = 1024 * KiB

export const browserLimits = {
  // Restricted networks
  networkPolicyMs: 5_000,
  /** From asking for it to its answer. */
  restrictMs: 15_000,
  networkPolicyPollMs: 5,
  /** Told of after an action, the newest. */
  refusedHosts: 20,
  /** How often a node agent reports, for the audit, what its browsers were refused. */
  refusalReportMs: 5_000,
  /** Of one session: tasks whose epochs are known. */
  tasksFenced: 1_000,

  // Input
  displayConnectMs: 5_000,
  displayAnswerMs: 5_000,
  inputActionsQueued: 256,
  doubleClickGapMs: 20,
  dragSteps: 16,
  dragStepMs: 12,
  /** Enough of a motion for Chromium to take it for the begin of a drag. */
  dragNudgePx: 6,
  /** The browser takes up what is dragged, and looks where it is, in its own time. */
  dragDwellMs: 100,
  scrollUnits: 1_000,
  scrollSteps: 100,
  scrollStepMs: 16,
  /** How long typing waits after a shortcut, which may move the keyboard's focus. */
  shortcutEffectMs: 100,
  /** Keys pass a click on its way through a browser that first asks which frame it is for. */
  clickEffectMs: 60,
  /** Strokes sent before the display is asked whether it keeps up. */
  strokesAtOnce: 128,
  /** Characters that have keys but lie between two that have none, and are pasted with them. */
  pasteBridgeChars: 64,
  /** A program that is asked for its clipboard, or that takes ours part by part, falls silent. */
  clipboardAnswerMs: 3_000,
  clipboardTargets: 256,
  clipboardTransfers: 16,
  /** One X request may have 256 KiB. */
  clipboardPartBytes: 240 * KiB,
  /** How long the browser may take to put a selection on the clipboard, or to ask for a text. */
  copyMs: 4_000,
  pasteTakenMs: 4_000,
  /** A paste is over when the browser has not asked for so long, or for so many of its pauses. */
  pasteQuietMs: 60,
  /** A browser on a busy machine was given back the old text when it asked in earnest. */
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
  /** Of what an action has changed. */
  changesTokens: 2_000,
  /** Places of an element that are tried for one that nothing covers. */
  spotsTried: 15,
  matchesLookedAt: 20,
  optionsTold: 50,
  /** A longer text is inserted at once, without a key for each character. */
  strokedChars: 8,
  /** How long an action's effect may take to show: on the page, by its requests, by its document. */
  settleFramesMs: 250,
  settleRequestsMs: 1_500,
  settleDocumentMs: 10_000,
  /** A page that does not say that it has changed is looked at this often, one that does not more. */
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
  /** Characters of one text, of one name and of one value that a snapshot shows. */
  snapshotTextChars: 300,
  snapshotNameChars: 160,
  snapshotValueChars: 160,
  /** How long one walk over a page may take, and how many lines it makes far from what is seen. */
  snapshotWalkMs: 1_500,
  /** For a page that has begun and has nothing to show yet; and between two looks at it. */
  emptyPageMs: 2_000,
  emptyPageLookMs: 40,
  snapshotLines: 4_000,
  findWalkMs: 4_000,
  findLines: 200_000,
  /** Of one walk, each at most six bytes on its way here. */
  walkedChars: 4_000_000,
  /** Frames of other processes, in one page. */
  framesRead: 50,
  /** Elements whose listeners, or closed shadow roots, are looked at for one snapshot. */
  listenersResolved: 1_000,
  /** With more listeners, the document is described first, if it has no more elements than these. */
  listenersAsked: 100,
  describedElements: 30_000,
  describedChars: 4_000_000,
  closedRootsAsked: 200,
  /** What is known of refs, for those that turn out to be stale. */
  refsRemembered: 20_000,

  // Pages
  /** How long a page may think about one question. */
  pageCallMs: 5_000,
  /** How long it may take to take up one event, such as a paste of several MiB. */
  inputMs: 30_000,
  /** Asked which tab is seen, a page that is busy for longer counts as seen. */
  tabLookMs: 250,
  tabEnableMs: 1_000,
  /** How long a loaded page may take to its first frame, before which Chromium drops its input. */
  firstFrameMs: 500,
  selectorPollMs: 50,
  tabCloseMs: 5_000,
  tabShownMs: 1_000,
  screenshotMs: 20_000,
  /** Chromium draws nothing beyond what a GPU's texture may have. */
  screenshotSidePx: 16_384,
  scrollThroughScreens: 100,
  pdfMs: 60_000,
  /** Before base64; with room for the rest of an answer on the bus. */
  screenshotBytes: 7.5 * MiB,
  /** Strokes on their way to a page at once. */
  pageStrokesAtOnce: 64,
  /** What Chromium scrolls for one notch of a wheel under X, measured. */
  wheelUnitPx: 120,
} as const
