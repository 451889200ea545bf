/** The data port: limits, with their units in their names. */
import { KiB } from '../../proto/units.ts'

export const dataPortLimits = {
  /**
   * Headers of a request to an agent's data port: a ticket, and a file name with three bytes per
   * byte.
   */
  dataHeaderBytes: 32 * KiB,

  ticketsRememberedPerAgent: 10_000,

  dataPortDialMs: 2_000,

  /** A connection for commands that has been quiet that long is asked whether its peer lives. */
  commandKeepAliveMs: 30_000,
} as const
