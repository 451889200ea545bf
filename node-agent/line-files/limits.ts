/** Files of lines about sessions: limits, with their units in their names. */
import { KiB } from '../../proto/units.ts'

export const lineFileLimits = {
  /** Counted from the last line of the session. */
  keptMs: 24 * 3_600_000,
  sweepEveryMs: 3_600_000,
  /** Of one answer, which has to fit into a message. */
  chunkBytes: 512 * KiB,
} as const
