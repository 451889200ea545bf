/** The console: limits, with their units in their names. */
import { KiB, dayMs } from '../../proto/units.ts'

export const consoleLimits = {
  /** Counted from signing in; then the key has to be entered again. */
  signedInMs: 12 * 60 * 60_000,
  /** A key is much shorter; a cookie must fit in a header. */
  keyChars: 256,

  /** Rows of one page of a list of sessions. */
  sessionRows: 50,
  searchChars: 200,
  /** What the field at the top of every page finds: rows of a kind, and how much of a goal it shows. */
  foundOfKind: 6,
  foundGoalChars: 90,
  /** Rows of one page of a list of tasks. */
  taskRows: 50,
  /**
   * Of a task's goal: how much is searched, shown in lists, and shown on its page without
   * unfolding.
   */
  goalSearchChars: 2_000,
  goalChars: 160,
  goalShownChars: 800,
  /** Tenants that a list can be filtered by. */
  tenantChoices: 200,
  /** Steps of one page of a task. */
  taskSteps: 50,
  /** Of one action in a step: its input and its outcome. */
  actionChars: 300,
  /** Entries of the audit on the page of a session. */
  historyRows: 50,
  /** Events on the page of a session. */
  eventRows: 50,

  /** Event streams that keep pages current, per gateway. */
  feeds: 256,
  feedBeatMs: 4_000,
  /** Unsent bytes of one browser; it gets no further events until it has read them. */
  feedUnsentBytes: 256 * KiB,
  /** Changes within this time are sent together. */
  feedGatherMs: 300,
  /** How long to wait after the service could not read the data of a page. */
  feedRetryMs: 5_000,

  /** Failed sessions and lost processes on the page of hosts. */
  problemRows: 20,
  problemsSinceMs: dayMs,
  /** Rows of one page of the audit, and of the list of keys. */
  auditRows: 50,
  keyRows: 100,
  /** Rows of usage on its page; a file has all. */
  usageRows: 400,

  /** Pictures of sessions: how long one is cached, and how many are taken at once. */
  glanceKeptMs: 3_000,
  /** After its end a host has a session's last picture for so long. */
  lastPictureMs: dayMs,
  glanceMs: 5_000,
  glances: 512,
  glancesAtOnce: 16,
} as const
