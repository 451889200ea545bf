/** Traces of sessions: limits, with their units in their names. */
import { GiB, MiB } from '../../proto/units.ts'

export const traceLimits = {
  /** Per session; later commands are not recorded. */
  traceBytes: 64 * MiB,
  /** For all traces on this host; beyond it the oldest are removed. */
  allTracesBytes: 2 * GiB,
  /** Of one command's input, as JSON. */
  inputChars: 8_192,
  /** Of a URL and of a line of the console: `data:` URLs may have megabytes. */
  textChars: 500,
  pictureQuality: 60,
  pictureWidthPx: 1_000,
  changesTokens: 2_000,
} as const
