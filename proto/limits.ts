/** Every bound of the service, with its unit in its name. Nothing grows, waits or repeats without one. */
const KiB = 1024
const MiB = 1024 * KiB

export const limits = {
  // HTTP
  jsonBodyBytes: 1 * MiB,
  jsonDepth: 64,
  /** What is read and thrown away of a body that was refused, so that the refusal arrives. */
  bodySwallowBytes: 16 * MiB,
  headerBytes: 16 * KiB,
  urlBytes: 8 * KiB,
  tagsPerSession: 50,
  tagChars: 128,
  pageRows: 50,
  requestHeldMs: 120_000,
  /** Told to a caller who was turned away and has no better advice. */
  retryAfterSeconds: 5,
  liveTokenMs: 60 * 60_000,
  sessionsEndedAtOnce: 16,

  // CDP and other byte channels
  cdpToBrowserBytes: 100 * MiB,
  cdpFromBrowserBytes: 256 * MiB,
  cdpBufferedBytes: 132 * MiB,
  cdpPauseBytes: 4 * MiB,
  cdpClientsPerSession: 64,
  /** A client that says nothing is pinged this often, and given up after the longer one. */
  cdpPingIdleMs: 30_000,
  cdpSilenceMs: 5 * 60_000,
  channelDialMs: 1_500,
  ticketLifeMs: 30_000,
  ticketsRememberedPerAgent: 10_000,
  closeReasonWaitMs: 5_000,
  /** How long a browser may take to fall silent after it closed a socket, before it counts as alive. */
  closeProbeMs: 500,

  // Store
  natsConnectMs: 20_000,
  natsDialMs: 3_000,
  natsRetryMs: 100,
  natsRetryMaxMs: 1_000,
  natsPingMs: 2_000,
  natsPingsUnanswered: 2,
  natsMessageBytes: 1 * MiB,
  natsStoreBytes: 8 * 1024 * MiB,
  natsStopMs: 5_000,
  storeReadyMs: 30_000,
  storeSetupTryMs: 5_000,
  storeReadsAtOnce: 64,
  logDuplicatesMs: 1_000,
  stepsKeptMs: 7 * 24 * 60 * 60_000,
  watchCatchUpMs: 5_000,
  watchedMapCheckMs: 5 * 60_000,

  // Membership and ownership
  membershipPollMs: 1_000,
  deadHostKeptMs: 60 * 60_000,
  certifyAttempts: 5,
  ownershipSweepMs: 2_000,
  adoptionsAtOnce: 16,

  // Actors
  mailboxCommands: 256,
  entryBytes: 256 * KiB,
  logEntriesPerActor: 64,
  repliesRemembered: 64,
  requestsLogged: 16,
  effectAttempts: 4,
  effectBackoffMs: 200,
  effectBackoffMaxMs: 10_000,
  cellRestarts: 3,
  cellRestartMs: 500,
  cellRestartMaxMs: 5_000,
  recoverAttempts: 5,
  clockSkewMs: 2_000,
  askMs: 30_000,
  askTryMs: 2_000,
  askRetryMs: 25,
  placeMs: 1_500,
  retentionSweepMs: 10 * 60_000,
  passivateAfterMs: 60_000,

  // Node agent
  nodeCallMs: 2_000,
  effectsRememberedPerSession: 256,
  browserBootMs: 20_000,
  browserCloseMs: 3_000,
  browserCheckMs: 5_000,
  browserStaleMs: 10 * 60_000,
  claimQueue: 64,
  claimQueueMs: 30_000,
  navigateMs: 30_000,

  // Supervision
  roleBackoffMs: 100,
  roleBackoffMaxMs: 10_000,
  roleStableMs: 30_000,
  drainMs: 10_000,
} as const
