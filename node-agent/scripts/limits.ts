/** Scripts: limits, with their units in their names. */
import { MiB } from '../../proto/units.ts'

export const scriptLimits = {
  /** Per session. */
  scriptsAtOnce: 4,
  heapBytes: 256 * MiB,
  heapLookMs: 500,
  /** How long opening its page and loading Puppeteer may take. */
  scriptOpenMs: 10_000,
  /** How long its page may take to stop the script, before it is closed anyway. */
  scriptEndMs: 500,

  valueChars: 2 * MiB,
  logLines: 1_000,
  logLineChars: 2_000,
  logChars: 200_000,
  scriptErrorChars: 4_000,
  /** CDP messages that the script has not accepted yet; beyond this the socket is not read. */
  unreadChars: 8 * MiB,
} as const
