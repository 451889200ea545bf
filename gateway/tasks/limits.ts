/** Routes and feeds of tasks: limits, with their units in their names. */
import { KiB, MiB } from '../../proto/units.ts'

export const taskFeedLimits = {
  /** How long to wait for the last record of a finished task; a lost hint costs one poll. */
  feedEndMs: 12_000,
  /**
   * Bytes unsent to a follower: above this, reading of stored records pauses, and a live follower
   * is disconnected.
   */
  feedBufferedBytes: 1 * MiB,
  feedSocketsPerTarget: 64,

  /** The size of an order in the log; the task's own entries are not included. */
  taskOrderBytes: 64 * KiB,
  /** How long a request that cancels waits for the end; then it answers with the current state. */
  cancelMs: 5_000,
  /** How much longer than the task's own time a held request waits. */
  taskHeldSlackMs: 60_000,
  stepsPerPage: 50,
  stepsPerPageMax: 200,
} as const
