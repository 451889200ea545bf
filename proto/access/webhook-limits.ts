/** Bounds of webhooks. Units are in the names. */
import { dayMs } from './limits.ts'

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const KiB = 1024

export const webhookLimits = {
  // Endpoints
  urlChars: 2_048,
  descriptionChars: 500,
  endpointsPerGrant: 20,
  endpointsPerTenant: 50,
  eventsPerEndpoint: 100,
  ratePerSecond: 10,
  ratePerSecondMost: 50,
  secretBytes: 32,
  /** The newest two sign. */
  secretsLive: 2,
  secretGraceMs: dayMs,
  secretGraceMostMs: 7 * dayMs,
  /** Of pings and tests of one endpoint. */
  pingsPerWindow: 5,
  pingWindowMs: minuteMs,
  failingMs: 5 * dayMs,
  /** A success so soon after the last one is not worth an entry in the log. */
  successToldMs: minuteMs,

  // Deliveries
  /** Before each attempt, after the one before it failed. */
  scheduleMs: [
    0,
    5 * secondMs,
    5 * minuteMs,
    30 * minuteMs,
    2 * hourMs,
    5 * hourMs,
    10 * hourMs,
    14 * hourMs,
    20 * hourMs,
    24 * hourMs,
  ],
  /** Either way, of each wait. */
  jitterShare: 0.2,
  retryAfterMostMs: 24 * hourMs,
  connectMs: 5 * secondMs,
  requestMs: 15 * secondMs,
  answerBytes: 64 * KiB,
  answerHeaderBytes: 16 * KiB,
  excerptBytes: KiB,
  bodyBytes: 20 * KiB,
  deliveryKeptMs: 30 * dayMs,
  /** Whoever claimed an attempt and has not told by then has died with it. */
  claimMs: minuteMs,
  recoverMs: 7 * dayMs,
  /** Of one request. */
  recoveredMost: 1_000,
  /** Still to be sent, of one endpoint; further events are kept as exhausted. */
  pendingPerEndpoint: 10_000,
  deliveriesScanned: 2_000,
  /** The newest ones of an endpoint, which say how it fares. */
  deliveriesOfHealth: 100,

  // Workers, of one actor host
  sendingAtOnce: 128,
  sendingPerEndpoint: 4,
  /** Of `sendingAtOnce`, what one client may take. */
  clientShare: 0.25,
  slowedMs: 10 * minuteMs,
  workerRetryMs: 500,
  workerCheckMs: 5 * secondMs,
  workerEarlyMs: 25,
  doneRemembered: 10_000,
  workerDrainMs: 5 * secondMs,

  // From what happens to events
  fanOutBatch: 64,
  fanOutSettleMs: 5,
  fanOutPollMs: 5 * secondMs,
  fanOutRetryMs: 500,
  fanOutStateMs: secondMs,
  fanOutAtOnce: 32,
  recentHappenings: 1_000,
  /** Due dates so far back are looked at again by whoever goes on with it. */
  dueMarginMs: minuteMs,
} as const
