/** The console: limits, with their units in their names. */
import { KiB } from '../../proto/units.ts'

export const consoleLimits = {
  /** From signing in; then the key is asked for again. */
  signedInMs: 12 * 60 * 60_000,
  /** A key is much shorter; a cookie must fit in a header. */
  keyChars: 256,

  /** Rows of one page of a list of sessions. */
  sessionRows: 50,
  searchChars: 200,
  /** Rows of one page of a list of tasks. */
  taskRows: 50,
  /** Of a task's goal: what is searched, what lists show, and what its page shows unfolded. */
  goalSearchChars: 2_000,
  goalChars: 160,
  goalShownChars: 800,
  /** Tenants that a list can be narrowed to. */
  tenantChoices: 200,
  /** Steps of one page of a task. */
  taskSteps: 50,
  /** Of one action in a step: what it was given, and what came of it. */
  actionChars: 300,
  /** Entries of the audit on the page of a session. */
  historyRows: 50,
  /** Commands on the page of a session. */
  journalRows: 50,

  /** Streams that keep pages current, of one gateway. */
  feeds: 256,
  feedBeatMs: 4_000,
  /** Unsent to one browser; until it has read, it gets no more. */
  feedUnsentBytes: 256 * KiB,
  /** Changes within this time are sent together. */
  feedGatherMs: 300,
  /** After the service could not read what a page shows. */
  feedRetryMs: 5_000,

  /** Failed sessions and lost processes on the page of hosts. */
  problemRows: 20,
  problemsSinceMs: 24 * 60 * 60_000,
  /** Rows of one page of the audit, and of the list of keys. */
  auditRows: 50,
  keyRows: 100,

  /** Pictures of sessions: how long one is shown again, and how many are taken at once. */
  glanceKeptMs: 3_000,
  glanceMs: 5_000,
  glances: 512,
  glancesAtOnce: 16,
} as const
