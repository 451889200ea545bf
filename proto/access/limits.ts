/** Limits of Surface A. Units are in the names. */
import { dayMs, KiB } from '../units.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

export const accessLimits = {
  // Texts
  nameChars: 200,
  slugChars: 63,
  reasonCharsLeast: 10,
  reasonChars: 2_000,
  purposeCharsLeast: 20,
  textChars: 10_000,
  emailChars: 254,
  referenceChars: 500,

  // Permissions
  areasPerScope: 32,
  fieldsPerPermission: 100,
  conditionsPerPermission: 10,
  valuesPerCondition: 100,
  cidrsPerGrant: 32,

  // Governance
  requestPendingMs: 7 * dayMs,
  needOverdueMs: 7 * dayMs,
  grantMs: 365 * dayMs,
  emergencyMs: 4 * hourMs,
  /** How long before its end a grant counts as expiring. */
  expiringMs: 7 * dayMs,
  postReviewMs: dayMs,
  secondReviewerAfterMs: 30 * dayMs,
  reviewsPerRequest: 50,
  /** A reserved name whose owner was never created becomes free after this time. */
  nameAbandonedMs: minuteMs,
  /** Grants that cite one need, scope, client or person and have not ended. */
  grantsCited: 1_000,
  grantsToldAtOnce: 16,
  scopesKnownToClient: 200,

  // Changes
  /** Windows of one client that are booked and not over. */
  changeWindowsBooked: 200,
  changeWindowMs: 31 * dayMs,
  /** Tolerated age of a window's start: a window that starts now lies in the past on arrival. */
  changeWindowSlackMs: minuteMs,
  changeEvidence: 20,
  /** The newest states of a change that are kept. */
  changeHistory: 100,
  changePatchBytes: 32 * KiB,
  /** Runs of one action that are not carried out yet. */
  workflowRunsQueued: 100,
  /** Last changes that a record remembers. */
  changesKeptOnRecord: 10,
  customFields: 50,

  confirmationsKept: 50,

  // Tokens
  tokensPerGrant: 50,
  tokenMs: 90 * dayMs,
  rotationOverlapMs: dayMs,
  tokenUseToldMs: minuteMs,

  // People
  sessionMs: 12 * hourMs,
  sessionsPerPerson: 10,
  stepUpMs: 10 * minuteMs,
  invitationMs: 3 * dayMs,
  resetMs: dayMs,
  /** How long someone is not independent of those who let them in. */
  vouchedMs: 30 * dayMs,
  vouchersPerPerson: 20,
  passwordCharsLeast: 12,
  passwordChars: 200,
  passwordHashesAtOnce: 2,
  passwordHashesWaiting: 64,
  passkeysPerPerson: 20,
  savedViewsPerPerson: 50,
  savedViewQueryChars: 1_000,
  /** Time between offering a challenge and receiving its answer. */
  challengeMs: 5 * minuteMs,
  /** Answered challenges that a person's actor remembers, so that none is accepted twice. */
  challengesRemembered: 100,
  passkeyAttemptChars: 2_000,
  passkeyTextChars: 8_192,
  /** From all networks together; then networks that the person has not used before wait. */
  failedSignInsPerPerson: 10,
  failedSignInsWindowMs: 15 * minuteMs,
  /** The wait of new networks doubles with each lock, and begins anew after a day without one. */
  lockMs: 15 * minuteMs,
  lockMostMs: 4 * 60 * minuteMs,
  locksRememberedMs: dayMs,
  /** Networks of successful sign-ins that a person's actor remembers. */
  networksPerPerson: 8,
  /** Wrong passwords for one account from one address, before it waits longer after each. */
  failedSignInsFree: 5,
  signInWaitMs: 15_000,
  signInWaitMostMs: 15 * minuteMs,
  /** Portal: how long a session may be idle, and how long before its end it warns. */
  sessionIdleMs: 30 * minuteMs,
  sessionWarnMs: 2 * minuteMs,
  /** The session cookie is rewritten at most this often. */
  sessionSeenMs: minuteMs,
  formBytes: 64 * KiB,

  // Records
  recordBytes: 256 * KiB,
  governanceBodyBytes: 16 * KiB,
  bodyBytes: 256 * KiB,
  bodyDepth: 20,
  arrayItems: 1_000,
  listRows: 25,
  listRowsMost: 100,
  tombstoneMs: 30 * dayMs,
  /** How often all records are looked through for what is to be removed. */
  tombstoneSweepMs: hourMs,
  /** A deleted record's past values are removed then, when the audit and webhooks have read them. */
  pastKeptMs: hourMs,
  pastRetriedMs: 2 * dayMs,
  /** By then a sweep has removed them. */
  pastCountedMs: 2 * hourMs,
  urlChars: 2_048,
  tagChars: 100,
  tagsPerRecord: 50,
  customFieldsPerRecord: 50,
  filtersPerList: 10,
  valuesPerFilter: 50,
  cursorChars: 2_048,
  /** Past values of one record that the store keeps for the audit. */
  recordHistory: 16,
  recordsPerClient: 100_000,
  /** Per gateway, estimated; beyond it, the index of the least recently used client is dropped. */
  recordIndexBytes: 192 * KiB * KiB,
  /** Values of indexed records that are cached beside the index; others are read when needed. */
  recordValuesHeldBytes: 128 * KiB * KiB,
  indexLoadsAtOnce: 4,
  /** How long a request waits for its client's index, which continues to load after that. */
  indexWaitMs: 2_000,
  recordWriteTries: 3,
  importsAtOnce: 32,
  importErrorsShown: 20,

  // Rates, per gateway process
  tokenRequestsPerMinute: 600,
  tokenRequestsBurst: 60,
  clientRequestsPerMinute: 3_000,
  failedTokensPerMinute: 20,
  mintsPerMinute: 10,
  /** Tokens, clients, addresses, grants; the least recently active are dropped. */
  ratesRemembered: 10_000,

  // Jobs
  jobMs: hourMs,
  /** Queued and running jobs of one client. */
  jobsAtOnce: 5,
  jobSessions: 3,
  extractionSchemaBytes: 16 * KiB,
  jobWatchMs: 20_000,
  jobOutputBytes: 100 * KiB,
  jobTaskSeconds: 45 * 60,
  jobTaskSteps: 100,
  seoPages: 200,
  /** Longer URLs are not followed. */
  seoUrlChars: 500,
  seoOrigins: 4,
  seoSitemaps: 10,
  seoRobotsChars: 16 * KiB,
  seoDelayMs: 5_000,
  seoSettleMs: 400,
  seoScriptMs: 10_000,
  seoLinksPerPage: 300,
  seoHeadingsPerPage: 100,
  seoSpotsPerPage: 10,
  seoEvidenceChars: 200,
  seoAlternatesPerPage: 20,
  seoTitleChars: 300,
  /** What one page may add to the log of its job. */
  seoStepBytes: 40 * KiB,
  /** Beyond this, no more links are followed and no more evidence is kept. */
  seoStateBytes: 140 * KiB,
  seoAffected: 100,
  seoTargets: 1_000,
  seoSourcesPerTarget: 5,
  seoLinkChecks: 100,
  seoLinkChecksAtOnce: 20,
  seoWarnings: 20,
  seoRedirects: 20,
  seoFindingsBytes: 200 * KiB,

  // Reports
  /** A report's content as JSON: a record has 256 KiB, and each log entry contains all of it. */
  reportBytes: 160 * KiB,
  /** The same with the text that people wrote. */
  reportEditedBytes: 240 * KiB,
  reportSources: 1_000,
  reportSections: 40,
  reportRemarks: 10,
  reportMetrics: 24,
  reportColumns: 12,
  reportRows: 200,
  reportPoints: 60,
  reportSeries: 6,
  reportFindings: 200,
  /** URLs listed with one finding; the finding's count covers all of them. */
  reportAffected: 10,
  reportAuthors: 50,
  reportPeriodDays: 400,
  reportSites: 5,
  /** Records of one area that are read for one report. */
  reportRecordsRead: 20_000,
  reportPdfsAtOnce: 2,
  reportPdfMs: 60_000,

  // Checks of monitors and domains
  checkIntervalSecondsLeast: 60,
  checkIntervalSeconds: 300,
  checkIntervalSecondsMost: 86_400,
  checkMs: 10_000,
  /** Per host: after a restart, many checks may be due. */
  checksAtOnce: 32,
  checkBodyBytes: 64 * KiB,
  checkHeaderBytes: 16 * KiB,
  /** A monitor that responds later than this is degraded. */
  checkSlowMs: 3_000,
  checkEndsSoonMs: 14 * dayMs,
  /** A check that only changes times and latencies is written once in this many checks. */
  checksPerWrite: 10,
  checkLatenciesKept: 20,
  checkIncidentsKept: 100,
  checkAddresses: 20,
  checkDnsRecords: 200,

  // Audit
  auditStateMs: 2_000,
  auditLagMs: minuteMs,
  auditLagEntries: 10_000,
  auditBatchEntries: 64,
  auditChainsAtOnce: 16,
  auditAppendAttempts: 20,
  auditRetryMs: 500,
  auditSettleMs: 10,
  /** Chains and actors that a sequencer caches; others are read again. */
  auditHeadsKept: 1_000,
  auditActorsKnown: 10_000,
  checkpointEntries: 1_000,
  checkpointMs: hourMs,
  /** A checkpoint that is later than this was removed. */
  checkpointLateMs: 2 * hourMs,
  /** Unknown ids that wait for the check whether another client owns them. */
  otherClientLooksWaiting: 1_000,
  noteKeptMs: 7 * dayMs,
  readsKeptMs: 400 * dayMs,
  /**
   * Networks that failed credentials are counted by; those of further networks are counted
   * together.
   */
  noteNetsPerMinute: 1_000,
  noteCollapseMs: minuteMs,
  readIdsPerEntry: 100,
  readsPerMessage: 100,
  readFlushMs: 1_000,
  auditRowsScanned: 2_000,
  auditVerifiedAtOnce: 5_000,
  /** Per gateway. */
  auditExportsAtOnce: 4,
} as const
