/** Scripts: limits, with their units in their names. */
import { MiB } from '../../proto/units.ts'

export const scriptLimits = {
  /** Of one session. */
  scriptsAtOnce: 4,
  heapBytes: 256 * MiB,
  heapLookMs: 500,
  /** How long opening its page and loading Puppeteer into it may take. */
  scriptOpenMs: 10_000,
  /** How long its page may take to stop what runs, before it is closed anyway. */
  scriptEndMs: 500,

  valueChars: 2 * MiB,
  logLines: 1_000,
  logLineChars: 2_000,
  logChars: 200_000,
  scriptErrorChars: 4_000,
  /** CDP messages that the script has not taken yet; beyond it, no more are read. */
  unreadChars: 8 * MiB,
} as const
