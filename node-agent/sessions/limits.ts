/** Sessions on a host: limits, with their units in their names. */
import { MiB } from '../../proto/units.ts'

export const hostedSessionLimits = {
  endedSessionsRemembered: 10_000,
  reconcileMs: 5_000,
  /** Consecutive `not_found` answers after which a session counts as unknown. */
  notFoundAnswers: 2,
  /** After the first of them, the next question comes sooner. */
  notFoundRetryMs: 1_000,
  /** How often a session's browser is asked whether it answers, and how long it may take. */
  hangCheckMs: 10_000,
  hangAnswerMs: 10_000,
  /** Consecutive questions without an answer after which it is ended. */
  hangMisses: 3,
  /** How often a session is told what its browser has used. */
  useReportMs: 15_000,
  /** The pause before a session is asked again whether it wants the browser of an earlier agent. */
  inheritRetryMs: 500,
  /**
   * For so long after its start, an agent does not know whether an earlier one has begun a command
   * that is repeated.
   */
  inheritedUncertainMs: 600_000,
  /** How long the preview of a session is cached for other viewers of lists. */
  glanceKeptMs: 2_000,
  glancePages: 20,
  /** The last picture of a session, how long its end waits for it, and all that a host keeps. */
  lastLook: { widthPx: 960, heightPx: 720, withinMs: 1_000 },
  lastLooksBytes: 128 * MiB,
  /** How long a storage state of some size takes to be written into a new browser. */
  storageStateMs: 2_000,
} as const
