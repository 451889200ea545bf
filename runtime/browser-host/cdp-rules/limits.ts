/** The filter of CDP calls: limits, with their units in their names. */
import { KiB, MiB } from '../../../proto/units.ts'

export const cdpRuleLimits = {
  /** Longest method name that the scan of a client's message looks at. */
  cdpMethodBytes: 64,
  cdpScannedPlacesMax: 1_000,
  cdpScannedEscapesMax: 100_000,
  /** Parsing a larger message would block all clients of a gateway. */
  cdpParsedBytes: 32 * MiB,
  /** The nesting that Chromium itself accepts. */
  cdpJsonDepth: 300,
  /** Calls of `Target.sendMessageToTarget` nested in one another. */
  cdpNestedLevels: 8,

  /** Targets of ours that are remembered per connection; a script has two. */
  hiddenTargetsKept: 64,

  /** Characters of a refused method's name that are logged. */
  cdpMethodChars: 100,
  /** Of a call that acts; of a larger one, the log has no details. */
  cdpActBytes: 64 * KiB,
} as const
