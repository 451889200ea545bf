/** File routes: limits, with their units in their names. */
import { KiB } from '../../proto/units.ts'

export const fileLimits = {
  /** What a form may contain in addition to its file. */
  formOverheadBytes: 64 * KiB,
  formFieldBytes: 8 * KiB,
  formParts: 8,
  /** The longest silence between a gateway and an agent. */
  fileSilenceMs: 60_000,
} as const
