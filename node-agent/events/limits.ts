/** Events of sessions: limits, with their units in their names. */
import { GiB, MiB } from '../../proto/units.ts'

export const eventLimits = {
  /** Per session; the older half goes when it is reached. */
  sessionBytes: 2 * MiB,
  /** For all sessions on this host; beyond it the oldest go. */
  allBytes: 1 * GiB,
  /** How long an event waits for those that gateways tell, so that they are written in order. */
  writeAfterMs: 500,
  /** Per write; more are counted only. A page may go from address to address without a pause. */
  eventsPerWrite: 200,
  /** What goes wrong in the pages of one session; more are counted only, so that the rest has room. */
  errorsPerSecond: 5,
  /** For callers of older versions: of one session. */
  journalEntries: 200,
} as const
