/** Limits that several rooms share, with their units in their names. */
import { KiB, MiB, dayMs } from './units.ts'

export const limits = {
  // HTTP
  jsonDepth: 64,
  urlBytes: 8 * KiB,
  /** How many rows one request for a list may look at. */
  listRowsSearched: 10_000,
  pageRows: 50,
  requestHeldMs: 120_000,
  idempotencyKeptMs: dayMs,

  // Files
  uploadBytes: 100 * MiB,
  /** For uploads over slow connections; a stalled upload is ended much earlier. */
  uploadMs: 30 * 60_000,

  // CDP and other byte channels
  cdpFromBrowserBytes: 256 * MiB,
  channelDialMs: 1_500,
  /** One file of the DevTools front end; the largest ones of Chromium have some MiB. */
  inspectorFileBytes: 16 * MiB,
  ticketLifeMs: 30_000,

  // Accounts with providers of models
  apiKeyChars: 4_096,
  oauthPollMaxMs: 500,
  loginMs: 10 * 60_000,
  /** How long the outcome of a login can be queried. */
  loginKeptMs: 60 * 60_000,

  // Store
  natsRetryMs: 100,
  natsRetryMaxMs: 1_000,
  natsPingMs: 2_000,
  natsPingsUnanswered: 2,
  /** Fits a command and its answer, such as a screenshot or a clipboard. */
  natsMessageBytes: 8 * MiB,
  /** All streams together, unless STORE_MAX_MIB is set. */
  natsStoreMib: 8 * 1024,
  natsMemoryStoreBytes: 16 * MiB,
  natsStopMs: 5_000,
  storeSetupTryMs: 2_000,
  storeReadsAtOnce: 64,

  // Actors
  effectAttempts: 4,
  effectBackoffMs: 200,
  effectBackoffMaxMs: 10_000,
  /**
   * Tolerated clock difference between two hosts; beyond it, it is logged and requests are refused
   * as late.
   */
  clockSkewMs: 2_000,
  askRetryMaxMs: 250,
  markersKeptMs: 60 * 60_000,

  // Node agent
  nodeCallMs: 2_000,
  /** One try: when NATS dies, request and answer are lost and the request is repeated. */
  nodeTryMs: 5_000,
  /** Answers kept for repeated requests; the last one may be as large as a message. */
  nodeAnswersBytes: 16 * MiB,
  /** Requests that a node agent remembers as answered after their answers were dropped. */
  nodeAnswersDropped: 20_000,
  browserBootMs: 20_000,
  boundsLookMs: 2_000,
  reportMs: 5_000,

  // Commands
  /** For REST clients; a command that takes longer may or may not have been done. */
  commandMs: 120_000,

  // Supervision
  stderrFlushMs: 200,
  drainMs: 10_000,

  // Restricted networks
  /** The newest refused hosts that an action's outcome lists. */
  refusedHosts: 20,

  // Snapshots
  /** Characters of one text, one name and one value in a snapshot. */
  snapshotTextChars: 300,

  // Tasks
  /**
   * Shorter secrets are recognised only as whole words, because they occur by chance everywhere.
   */
  secretStrongChars: 6,
  taskDomains: 100,
  tasksPerSession: 100,

  // Agents of tasks (ACP)
  /** How long one request for a call's outcome is held. */
  agentPollMs: 20_000,

  // Results of tasks
  taskResultBytes: 24 * KiB,
} as const
