/**
 * Every bound of the service, with its unit in its name. Nothing
 * grows, waits or repeats without one.
 */
import { browserLimits, KiB, MiB } from './browser-limits.ts'
import { modelLimits } from './model-limits.ts'
import { taskLimits } from './task-limits.ts'

export const limits = {
  // HTTP
  jsonBodyBytes: 1 * MiB,
  /** From one address, at one gateway; a right key is always taken. */
  wrongKeysPerMinute: 60,
  wrongKeyAddresses: 10_000,
  jsonDepth: 64,
  /** Of a refused body, thrown away beyond its limit, so that the refusal arrives. */
  bodySwallowBytes: 32 * MiB,
  headerBytes: 16 * KiB,
  /** From the first byte of a connection, or of its next request, until its headers are there. */
  requestHeadMs: 10_000,
  /** Nothing moves while a body arrives or an answer leaves; uWebSockets.js has the same built in. */
  requestSilenceMs: 10_000,
  /** Between two requests of one connection; uWebSockets.js has the same built in. */
  keepAliveMs: 10_000,
  connectionCheckMs: 2_000,
  /** Of one connection that sends requests without waiting for the answers. */
  requestsUnanswered: 32,
  portProbeMs: 500,
  urlBytes: 8 * KiB,
  tagsPerSession: 50,
  tagChars: 128,
  pageRows: 50,
  statusRows: 1_000,
  requestHeldMs: 120_000,
  /** Told to a caller who was turned away and has no better advice. */
  retryAfterSeconds: 5,
  sessionsEndedAtOnce: 16,
  idempotencyKeyChars: 255,
  idempotencyKeptMs: 24 * 60 * 60_000,
  /** Of an answer that is kept for a repeat. */
  idempotencyBytes: 256 * KiB,
  /** How often a gateway says that a request goes on, and after what silence another may begin. */
  idempotencyRenewMs: 30_000,
  idempotencyStaleMs: 150_000,
  /** Among gateways that hear the same key at once. */
  idempotencyTries: 4,

  // Files
  uploadBytes: 100 * MiB,
  /** To one session's folder; each may have its full size on the disk before it is counted. */
  uploadsAtOnce: 8,
  /** What a form may have around its file. */
  formOverheadBytes: 64 * KiB,
  formFieldBytes: 8 * KiB,
  formParts: 8,
  fileNameBytes: 200,
  /** Of a request to an agent's data port: a ticket, and a file's name three bytes for each. */
  dataHeaderBytes: 32 * KiB,
  /** Of a session's uploads together, and of its agent's files together. */
  folderBytes: 1024 * MiB,
  folderFiles: 1_000,
  zipUnpackedBytes: 512 * MiB,
  zipPathBytes: 1_024,
  downloadsRemembered: 1_000,
  /** Kept of a body that is read as a stream, before its sender is held up. */
  streamBufferBytes: 256 * KiB,
  /** A slow line's upload; one that stands still is given up long before. */
  uploadMs: 30 * 60_000,
  /** Between a gateway and an agent, while neither says anything. */
  fileSilenceMs: 60_000,

  // CDP and other byte channels
  cdpToBrowserBytes: 100 * MiB,
  cdpFromBrowserBytes: 256 * MiB,
  cdpBufferedBytes: 132 * MiB,
  /** A larger message leaves in frames of this size, so that progress can be seen. */
  socketFrameBytes: 4 * MiB,
  /** Of one message from a client. */
  socketFragments: 64 * KiB,
  cdpPauseBytes: 4 * MiB,
  cdpClientsPerSession: 64,
  /** What is looked at of a client's message before it is parsed instead. */
  cdpMethodBytes: 64,
  cdpScannedPlacesMax: 1_000,
  cdpScannedEscapesMax: 100_000,
  /** Parsing holds up everybody at this gateway. */
  cdpParsedBytes: 32 * MiB,
  /** As deep as Chromium itself goes. */
  cdpJsonDepth: 300,
  /** Of calls of `Target.sendMessageToTarget` in one another. */
  cdpNestedLevels: 8,
  /** A client that says nothing is pinged this often, and given up after the longer one. */
  cdpPingIdleMs: 30_000,
  cdpSilenceMs: 5 * 60_000,
  channelDialMs: 1_500,
  ticketLifeMs: 30_000,
  ticketsRememberedPerAgent: 10_000,
  closeReasonWaitMs: 5_000,
  /**
   * How long a browser may take to fall silent after it closed a socket, before it counts as alive.
   */
  closeProbeMs: 500,

  // MCP
  /** Of a session that a client did not ask for: from the last thing that was done in it. */
  mcpIdleMinutes: 15,
  mcpMaxMinutes: 24 * 60,
  /** Models' services take 5 MiB of a picture. */
  mcpImageChars: 5 * MiB,
  modelPictureWidthPx: 1_440,
  modelPictureHeightPx: 2_000,
  modelPictureQuality: 80,
  mcpProgressMs: 1_000,
  /** uWebSockets.js gives a response up on which nothing is written for 10 s. */
  mcpKeepAliveMs: 5_000,
  mcpToolsTtlMs: 60 * 60_000,
  mcpHomesRemembered: 1_000,
  /** A command has `commandMs`, and may have to wait for a session first. */
  mcpCallMs: 150_000,
  mcpLeaveMs: 3_000,

  // Accounts with providers of models
  apiKeyChars: 4_096,
  /** One question to an authorization server. */
  oauthCallMs: 10_000,
  /** Good for longer than a call takes, and clocks differ: two must never renew one token at once. */
  oauthClaimMs: 30_000,
  /** A token is renewed when it has less than this left, or less than a quarter of its life. */
  oauthRenewBeforeMs: 120_000,
  /** Of a token whose server does not say how long it is good for. */
  oauthTokenMs: 60 * 60_000,
  oauthWaitMs: 15_000,
  oauthPollMs: 50,
  oauthPollMaxMs: 500,
  /** A token that was renewed must be kept: the one before it is worth nothing any more. */
  oauthSaveMs: 60_000,
  oauthTextChars: 200,
  oauthMetadataMs: 60 * 60_000,
  /** Between two questions whether a device was let in, and how much longer when told to slow down. */
  deviceAskMs: 5_000,
  deviceSlowDownMs: 5_000,
  /** Longer than a lease: by then hosts have said which keys they have, or are known to be dead. */
  keySharedMs: 30_000,
  loginMs: 10 * 60_000,
  /** How long it can be asked what became of a login. */
  loginKeptMs: 60 * 60_000,
  loginsKept: 10_000,

  // Live view
  liveTokenMs: 60 * 60_000,
  liveTokenMinSeconds: 10,
  liveTokenMaxSeconds: 24 * 60 * 60,
  liveViewersPerSession: 32,
  liveTextBytes: 8 * MiB,
  liveBinaryBytes: 1 * MiB,
  /** Clipboards and texts of one viewer, of up to `liveTextBytes` each. */
  liveErrandsWaiting: 16,
  /** Unsent to a viewer: from here on the desktop is not read; half of it left, it is again. */
  livePauseBytes: 1 * MiB,
  /** Unsent to the desktop, which reads as fast as it draws: beyond it the viewer is cut off. */
  liveToDesktopBytes: 2 * MiB,
  rfbEncodings: 1_024,
  rfbCutTextBytes: 1 * MiB,
  rfbKeysHeld: 64,
  screencastFramesInFlight: 2,
  screencastQuality: 80,
  screencastSidePx: 4_096,
  screencastPages: 64,
  /** How often it is asked which tab is in front, while there are several. */
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
  /** What a command and its answer may have: a screenshot, a clipboard. */
  natsMessageBytes: 8 * MiB,
  /** Of all streams, unless STORE_MAX_MIB says otherwise. */
  natsStoreMib: 8 * 1024,
  natsStoreMinMib: 256,
  /** Between two lines in the log that say that a stream is full. */
  storeFullLogMs: 60_000,
  natsMemoryStoreBytes: 16 * MiB,
  natsStopMs: 5_000,
  storeReadyMs: 30_000,
  storeSetupTryMs: 2_000,
  storeReadsAtOnce: 64,
  /** More keys than these are read through a consumer. */
  storeKeysReadSingly: 1_000,
  logDuplicatesMs: 1_000,
  stepsKeptMs: 7 * 24 * 60 * 60_000,
  /** Of a refused method, as logs have it. */
  cdpMethodChars: 100,
  serviceAuditKeptMs: 400 * 24 * 60 * 60_000,
  /** Of all tasks; the oldest go first. */
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
  /** Made-up lives of each kind that a host runs through before it is ready; and their time. */
  rehearsalRounds: 3_000,
  rehearsalTurnMs: 10,
  rehearsalMs: 1_000,
  /** Whose log was found empty once; the next sweep decides. */
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
  /** How far clocks of two hosts may be apart; more is told of, and requests are refused as late. */
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
  /** How long the last record of a task that is over is waited for; a lost hint costs one poll. */
  feedEndMs: 12_000,
  /** Unsent to one who follows: one who is told of the past waits, one who is told live is cut off. */
  feedBufferedBytes: 1 * MiB,
  feedSocketsPerTarget: 64,
  feedMessageBytes: 64 * KiB,

  // Node agent
  nodeCallMs: 2_000,
  /** Both the question and its answer are lost when NATS dies with them; then it is asked again. */
  nodeTryMs: 5_000,
  /** Of answers that may be asked for again; the last one may be as large as a message. */
  nodeAnswersBytes: 16 * MiB,
  browserBootMs: 20_000,
  displayStartMs: 10_000,
  displayPollMs: 10,
  /** How long a browser's end waits for word that its X server was the first to go. */
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
  /** A clipboard of `clipboardBytes`, each byte six in JSON; a screenshot is less. */
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
  /** However little the disk has lost: what one browser took, another may have given back. */
  diskLookMs: 30_000,
  sessionProcesses: 400,
  /** In a row, before a session counts as one that does not exist. */
  notFoundAnswers: 2,
  reportMs: 5_000,
  dataPortDialMs: 2_000,
  navigateMs: 30_000,

  // Commands
  /** For a client of REST; a command that takes longer may have been done or not. */
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
  /** How long a gateway stays attached after the last command, so that the next need not ask. */
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
  /** A child that has never come up is tried this often, then the start fails with its reason. */
  firstStartAttempts: 3,
  lastWordsMs: 200,
  certifyForMs: 15_000,
  certifyOnStopMs: 1_000,
  poolFillMs: 30_000,
  logFileBytes: 16 * MiB,
  probeMs: 10_000,
  drainMs: 10_000,
} as const
