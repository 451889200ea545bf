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
  /** Requests and answers of one session, of which the older half goes when it is reached. */
  exchangesBytes: 4 * MiB,
  /** Per write; a page that asks for more in half a second is not followed to the last. */
  exchangesPerWrite: 1_000,
  /** Per answer to a gateway: below the size of a message. */
  exchangesPerPage: 500,
  /** Of one page, without an end yet. */
  exchangesPending: 1_000,
  /** For callers of older versions: of one session. */
  journalEntries: 200,
} as const
