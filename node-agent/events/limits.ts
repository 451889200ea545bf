/** Events of sessions: limits, with their units in their names. */
import { GiB, MiB } from '../../proto/units.ts'

export const eventLimits = {
  /** Per session; the older half goes when it is reached. */
  sessionBytes: 2 * MiB,
  /** For all sessions on this host; beyond it the oldest go. */
  allBytes: 1 * GiB,
  /** How long an event may wait for others, with which it is written. */
  writeAfterMs: 250,
  /** Per write; more are counted only. A page may go from address to address without a pause. */
  eventsPerWrite: 100,
  /** In one answer, which has to fit into a message. */
  eventsPerAnswer: 500,
  /** For callers of older versions: of one session. */
  journalEntries: 200,
} as const
