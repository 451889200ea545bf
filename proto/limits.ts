/** All limits of the service, with their units in their names. */
import { browserLimits, KiB, MiB } from './browser-host/browser-limits.ts'
import { modelLimits } from './task/model-limits.ts'
import { taskLimits } from './task/task-limits.ts'

export const limits = {
  // HTTP
  jsonBodyBytes: 1 * MiB,
  /** Per address and gateway; a correct key is always accepted. */
  wrongKeysPerMinute: 60,
  wrongKeyAddresses: 10_000,
  jsonDepth: 64,
  /** How much of a refused body is drained, so that the client can read the refusal. */
  bodySwallowBytes: 32 * MiB,
  headerBytes: 16 * KiB,
  /**
   * From the first byte of a connection, or of its next request, until its headers are complete.
   */
  requestHeadMs: 10_000,
  /**
   * Silence while a body arrives or an answer leaves; uWebSockets.js has the same limit built in.
   */
  requestSilenceMs: 10_000,
  /** Between two requests of a connection; uWebSockets.js has the same limit built in. */
  keepAliveMs: 10_000,
  connectionCheckMs: 2_000,
  /** Per connection, for clients that send requests without waiting for the answers. */
  requestsUnanswered: 32,
  portProbeMs: 500,
  urlBytes: 8 * KiB,
  tagsPerSession: 50,
  tagChars: 128,
  pageRows: 50,
  statusRows: 1_000,
  requestHeldMs: 120_000,
  /** Sent with refusals that have no better estimate. */
  retryAfterSeconds: 5,
  sessionsEndedAtOnce: 16,
  idempotencyKeyChars: 255,
  idempotencyKeptMs: 24 * 60 * 60_000,
  /** Size of an answer that is kept for repeated requests. */
  idempotencyBytes: 256 * KiB,
  /**
   * How often a gateway marks a request as in progress; unmarked for `idempotencyStaleMs`, a repeat
   * may run.
   */
  idempotencyRenewMs: 30_000,
  idempotencyStaleMs: 150_000,
  /** Attempts, if several gateways get the same key at once. */
  idempotencyTries: 4,

  // Files
  uploadBytes: 100 * MiB,
  /** Per session; each may use its full size on disk before it is counted. */
  uploadsAtOnce: 8,
  /** What a form may have besides its file. */
  formOverheadBytes: 64 * KiB,
  formFieldBytes: 8 * KiB,
  formParts: 8,
  fileNameBytes: 200,
  /**
   * Headers of a request to an agent's data port: a ticket, and a file name with three bytes per
   * byte.
   */
  dataHeaderBytes: 32 * KiB,
  /** Per session, for all uploads together, and for all agent files together. */
  folderBytes: 1024 * MiB,
  folderFiles: 1_000,
  zipUnpackedBytes: 512 * MiB,
  zipPathBytes: 1_024,
  downloadsRemembered: 1_000,
  /** Unread bytes of a streamed body before its sender is held up. */
  streamBufferBytes: 256 * KiB,
  /** For uploads over slow connections; a stalled upload is ended much earlier. */
  uploadMs: 30 * 60_000,
  /** Silence between a gateway and an agent. */
  fileSilenceMs: 60_000,

  // CDP and other byte channels
  cdpToBrowserBytes: 100 * MiB,
  cdpFromBrowserBytes: 256 * MiB,
  cdpBufferedBytes: 132 * MiB,
  /** Larger messages are sent in frames of this size, so that progress can be seen. */
  socketFrameBytes: 4 * MiB,
  /** Fragments of one message from a client. */
  socketFragments: 64 * KiB,
  cdpPauseBytes: 4 * MiB,
  cdpClientsPerSession: 64,
  /** Longest method name that the scan of a client's message looks at. */
  cdpMethodBytes: 64,
  cdpScannedPlacesMax: 1_000,
  cdpScannedEscapesMax: 100_000,
  /** Parsing a larger message would block all clients of this gateway. */
  cdpParsedBytes: 32 * MiB,
  /** The nesting that Chromium itself accepts. */
  cdpJsonDepth: 300,
  /** Calls of `Target.sendMessageToTarget` nested in one another. */
  cdpNestedLevels: 8,
  /** A silent client is pinged after `cdpPingIdleMs` and disconnected after `cdpSilenceMs`. */
  cdpPingIdleMs: 30_000,
  cdpSilenceMs: 5 * 60_000,
  channelDialMs: 1_500,
  ticketLifeMs: 30_000,
  ticketsRememberedPerAgent: 10_000,
  closeReasonWaitMs: 5_000,
  /**
   * Pause before a browser that closed a socket is probed: while it closes, it may still answer.
   */
  closeProbeMs: 500,

  // MCP
  /** For a session that a client did not ask for, counted from the last command in it. */
  mcpIdleMinutes: 15,
  mcpMaxMinutes: 24 * 60,
  /** Model providers accept images of 5 MiB. */
  mcpImageChars: 5 * MiB,
  modelPictureWidthPx: 1_440,
  modelPictureHeightPx: 2_000,
  modelPictureQuality: 80,
  mcpProgressMs: 1_000,
  /** uWebSockets.js ends a response that has not been written to for 10 s. */
  mcpKeepAliveMs: 5_000,
  mcpToolsTtlMs: 60 * 60_000,
  mcpDefaultSessionsRemembered: 1_000,
  /** A command has `commandMs` and may have to wait for a session first. */
  mcpCallMs: 150_000,
  mcpLeaveMs: 3_000,

  // Accounts with providers of models
  apiKeyChars: 4_096,
  /** One request to an authorization server. */
  oauthCallMs: 10_000,
  /**
   * Longer than a call takes, with room for clock skew: two processes must never renew one token.
   */
  oauthClaimMs: 30_000,
  /** A token is renewed when less than this, or less than a quarter of its life, is left. */
  oauthRenewBeforeMs: 120_000,
  /** Assumed life of a token whose server does not state one. */
  oauthTokenMs: 60 * 60_000,
  oauthWaitMs: 15_000,
  oauthPollMs: 50,
  oauthPollMaxMs: 500,
  /** How long to try to save a renewed token: the previous one is not valid any more. */
  oauthSaveMs: 60_000,
  oauthTextChars: 200,
  oauthMetadataMs: 60 * 60_000,
  /** Poll interval of a device login, and what is added when the server asks to slow down. */
  deviceAskMs: 5_000,
  deviceSlowDownMs: 5_000,
  /** Longer than a lease: by then every host has announced its keys, or is known to be dead. */
  keySharedMs: 30_000,
  loginMs: 10 * 60_000,
  /** How long the outcome of a login can be queried. */
  loginKeptMs: 60 * 60_000,
  loginsKept: 10_000,

  // Live view
  liveTokenMs: 60 * 60_000,
  liveTokenMinSeconds: 10,
  liveTokenMaxSeconds: 24 * 60 * 60,
  liveViewersPerSession: 32,
  liveTextBytes: 8 * MiB,
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
  viewersAskMs: 1_000,
  viewedSessionsPerPeer: 10_000,

  // Store
  natsConnectMs: 20_000,
  natsDialMs: 3_000,
  natsRetryMs: 100,
  natsRetryMaxMs: 1_000,
  natsReconnectMs: 250,
  natsPingMs: 2_000,
  natsPingsUnanswered: 2,
  /** Fits a command and its answer, such as a screenshot or a clipboard. */
  natsMessageBytes: 8 * MiB,
  /** All streams together, unless STORE_MAX_MIB is set. */
  natsStoreMib: 8 * 1024,
  natsStoreMinMib: 256,
  /** Interval of the log line that a stream is full. */
  storeFullLogMs: 60_000,
  natsMemoryStoreBytes: 16 * MiB,
  natsStopMs: 5_000,
  storeReadyMs: 30_000,
  storeSetupTryMs: 2_000,
  storeReadsAtOnce: 64,
  /** More keys than this are read through a consumer. */
  storeKeysReadSingly: 1_000,
  logDuplicatesMs: 1_000,
  stepsKeptMs: 7 * 24 * 60 * 60_000,
  /** Of a refused method, as logs have it. */
  cdpMethodChars: 100,
  serviceAuditKeptMs: 400 * 24 * 60 * 60_000,
  /** Pictures of all tasks; the oldest are removed first. */
  picturesKept: 10_000,
  watchCatchUpMs: 5_000,
  watchedMapCheckMs: 5 * 60_000,

  // Membership and ownership
  leaseTouchMs: 25,
  leaseRetryMs: 100,
  membershipPollMs: 1_000,
  deadHostKeptMs: 60 * 60_000,
  certifyAttempts: 5,
  ownershipSweepMs: 2_000,
  adoptionsAtOnce: 16,
  /**
   * Rehearsal: simulated lives of each kind that a host runs before it is ready, and their time.
   */
  rehearsalRounds: 3_000,
  rehearsalTurnMs: 10,
  rehearsalMs: 1_000,
  /** Actors whose log was found empty once; the next sweep decides. */
  orphansRemembered: 10_000,

  // Actors
  mailboxCommands: 256,
  entryBytes: 256 * KiB,
  logEntriesPerActor: 64,
  appendRetryMs: 20,
  appendRetryMaxMs: 250,
  repliesRemembered: 256,
  requestsLogged: 64,
  effectAttempts: 4,
  effectBackoffMs: 200,
  effectBackoffMaxMs: 10_000,
  cellRestarts: 3,
  cellRestartMs: 500,
  cellRestartMaxMs: 5_000,
  recoverAttempts: 5,
  viewGatherMs: 10,
  viewAttempts: 24,
  viewRetryMs: 100,
  viewRetryMaxMs: 5_000,
  /**
   * Tolerated clock difference between two hosts; beyond it, it is logged and requests are refused
   * as late.
   */
  clockSkewMs: 2_000,
  askMs: 30_000,
  askTryMs: 2_000,
  askRetryMs: 25,
  askRetryMaxMs: 250,
  placeMs: 1_500,
  retentionSweepMs: 10 * 60_000,
  markersKeptMs: 60 * 60_000,
  passivateAfterMs: 60_000,

  // Public streams
  feedAttempts: 5,
  feedPollMs: 5_000,
  /** How long to wait for the last record of a finished task; a lost hint costs one poll. */
  feedEndMs: 12_000,
  /** Unsent to a follower: reading of past records waits, a live follower is disconnected. */
  feedBufferedBytes: 1 * MiB,
  feedSocketsPerTarget: 64,
  feedMessageBytes: 64 * KiB,

  // Node agent
  nodeCallMs: 2_000,
  /** One try: when NATS dies, request and answer are lost and the request is repeated. */
  nodeTryMs: 5_000,
  /** Answers kept for repeated requests; the last one may be as large as a message. */
  nodeAnswersBytes: 16 * MiB,
  browserBootMs: 20_000,
  displayStartMs: 10_000,
  displayPollMs: 10,
  /** How long a browser's end waits for the report that its X server ended first. */
  displayBlameMs: 50,
  windowMaximizeMs: 1_500,
  browserCheckMs: 5_000,
  browserAnswerMs: 2_000,
  bootsAtOnce: 4,
  browserStaleMs: 10 * 60_000,
  browserBootBackoffMs: 500,
  browserBootBackoffMaxMs: 30_000,
  browserStderrChars: 4_096,
  cdpCallMs: 5_000,
  /** A clipboard of `clipboardBytes` with six bytes each in JSON; a screenshot is smaller. */
  cdpControlBytes: 64 * MiB,
  windowFitMs: 3_000,
  windowFitPollMs: 15,
  initialNavigationMs: 5_000,
  refillCalmMs: 250,
  scratchRemoveAttempts: 50,
  scratchRemoveRetryMs: 100,
  endedSessionsRemembered: 10_000,
  claimRetryAfterSeconds: 5,
  reconcileMs: 5_000,
  boundsLookMs: 2_000,
  /** Even if the disk has hardly filled: one browser may have used what another has freed. */
  diskLookMs: 30_000,
  sessionProcesses: 400,
  /** Bound of the kernel, which counts threads: a process of Chromium has some twenty. */
  sessionThreads: 12_800,
  /** The kernel also counts what it keeps for a browser, and the look at it should come first. */
  sessionMemoryMarginMib: 512,
  cgroupMoveRounds: 20,
  cgroupRemoveAttempts: 200,
  cgroupRemoveRetryMs: 20,
  /** Consecutive answers before a session counts as unknown. */
  notFoundAnswers: 2,
  reportMs: 5_000,
  dataPortDialMs: 2_000,
  navigateMs: 30_000,

  // Commands
  /** For REST clients; a command that takes longer may or may not have been done. */
  commandMs: 120_000,
  commandsPerBatch: 100,
  commandBodyBytes: 7 * MiB,
  clipboardBytes: 6 * MiB,
  typedChars: 10_000,
  typingMs: 60_000,
  shortcutKeys: 8,
  holdMs: 60_000,
  selectorChars: 2_000,
  selectorMs: 5_000,
  selectorMaxMs: 60_000,
  /**
   * How long a gateway stays attached after the last command, so that the next one need not attach.
   */
  attachmentLingerMs: 5_000,

  ...browserLimits,
  ...modelLimits,
  ...taskLimits,

  // Supervision
  guardRounds: 50,
  guardRestartMs: 50,
  roleBackoffMs: 100,
  roleBackoffMaxMs: 10_000,
  roleStableMs: 30_000,
  /** Start attempts of a child that has never come up; then the start fails with its reason. */
  firstStartAttempts: 3,
  lastWordsMs: 200,
  certifyForMs: 15_000,
  certifyOnStopMs: 1_000,
  poolFillMs: 30_000,
  logFileBytes: 16 * MiB,
  probeMs: 10_000,
  drainMs: 10_000,
} as const
