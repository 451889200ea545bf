/** Limits of webhooks. Units are in the names. */
import { dayMs } from '../../units.ts'

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
  /** The two newest secrets sign. */
  secretsLive: 2,
  secretGraceMs: dayMs,
  secretGraceMostMs: 7 * dayMs,
  /** Pings and tests of one endpoint. */
  pingsPerWindow: 5,
  pingWindowMs: minuteMs,
  failingMs: 5 * dayMs,
  /** A success this soon after the last one is not logged again. */
  successReportMs: minuteMs,

  // Deliveries
  /** Delay before each attempt, counted from the failure of the previous one. */
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
  /** Random deviation of each delay, in both directions. */
  jitterShare: 0.2,
  retryAfterMostMs: 24 * hourMs,
  connectMs: 5 * secondMs,
  requestMs: 15 * secondMs,
  answerBytes: 64 * KiB,
  answerHeaderBytes: 16 * KiB,
  excerptBytes: KiB,
  bodyBytes: 20 * KiB,
  deliveryKeptMs: 30 * dayMs,
  /** A worker that has not reported on its claimed attempt by then is considered dead. */
  claimMs: minuteMs,
  recoverMs: 7 * dayMs,
  /** Per request. */
  recoveredMost: 1_000,
  /** Unsent deliveries of one endpoint; further events are stored as exhausted. */
  pendingPerEndpoint: 10_000,
  deliveriesScanned: 2_000,
  /** The newest deliveries of an endpoint, which its health is computed from. */
  deliveriesOfHealth: 100,

  // Workers, of one actor host
  sendingAtOnce: 128,
  sendingPerEndpoint: 4,
  /** Share of `sendingAtOnce` that one client may use. */
  clientShare: 0.25,
  slowedMs: 10 * minuteMs,
  workerRetryMs: 500,
  workerCheckMs: 5 * secondMs,
  workerEarlyMs: 25,
  doneRemembered: 10_000,
  workerDrainMs: 5 * secondMs,

  // From stored changes to events
  fanOutBatch: 64,
  fanOutSettleMs: 5,
  fanOutPollMs: 5 * secondMs,
  fanOutRetryMs: 500,
  fanOutStateMs: secondMs,
  fanOutAtOnce: 32,
  recentOccurrences: 1_000,
  /** Due dates this far back are scanned again when another host takes over. */
  dueMarginMs: minuteMs,
} as const
