/** Extensions in a browser: limits, with their units in their names. */
import { MiB } from '../../../proto/units.ts'

export const loadedExtensionLimits = {
  /** Of one extension; no less than a gateway accepts. */
  filesMax: 5_001,
  unpackedBytes: 160 * MiB,
} as const
