/** Gateways: limits, with their units in their names. */
import { KiB, MiB } from '../proto/units.ts'

export const gatewayLimits = {
  closeReasonWaitMs: 5_000,

  liveTokenMs: 60 * 60_000,
  liveTokenMinSeconds: 10,
  liveTokenMaxSeconds: 24 * 60 * 60,
  /** Pages' origins, of one link. */
  frameAncestors: 5,
  liveTextBytes: 8 * MiB,

  feedMessageBytes: 64 * KiB,

  answerChars: 4_000,

  /** How old a cached reading of the store's sizes may be for a scrape. */
  storeReadingKeptMs: 5_000,

  /** How long a browser host may take to confirm that it drains. */
  drainAskMs: 5_000,
} as const
