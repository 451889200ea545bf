/** Every bound of the service, with its unit in its name. Nothing grows, waits or repeats without one. */
const KiB = 1024
const MiB = 1024 * KiB

export const limits = {
  // HTTP
  jsonBodyBytes: 1 * MiB,
  jsonDepth: 64,
  headerBytes: 16 * KiB,
  urlBytes: 8 * KiB,
  tagsPerSession: 50,
  tagChars: 128,
  pageRows: 50,
  requestHeldMs: 120_000,

  // CDP and other byte channels
  cdpToBrowserBytes: 100 * MiB,
  cdpFromBrowserBytes: 256 * MiB,
  cdpBufferedBytes: 132 * MiB,
  cdpPauseBytes: 4 * MiB,
  cdpClientsPerSession: 64,
  channelDialMs: 1_500,
  ticketLifeMs: 30_000,
  ticketsRememberedPerAgent: 10_000,
  closeReasonWaitMs: 5_000,

  // Actors
  mailboxCommands: 256,
  entryBytes: 256 * KiB,
  logEntriesPerActor: 64,
  repliesRemembered: 64,
  effectAttempts: 8,
  effectBackoffMs: 200,
  effectBackoffMaxMs: 10_000,
  cellRestarts: 5,
  askMs: 30_000,
  placeMs: 1_500,
  passivateAfterMs: 60_000,

  // Node agent
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
