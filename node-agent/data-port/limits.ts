/** The data port: limits, with their units in their names. */
import { KiB } from '../../proto/units.ts'

export const dataPortLimits = {
  /**
   * Headers of a request to an agent's data port: a ticket, and a file name with three bytes per
   * byte.
   */
  dataHeaderBytes: 32 * KiB,

  ticketsRememberedPerAgent: 10_000,

  /**
   * Until a browser accepts a connection, and for its next byte of an answer. A gateway, which
   * counts the wait for its turn as well, gives up first.
   */
  dataPortDialMs: 10_000,

  /** A channel that has been quiet that long is asked whether its peer lives. */
  channelKeepAliveMs: 30_000,

  /** From the first byte of a connection, or of its next request, until its headers are complete. */
  requestHeadMs: 10_000,
  /** Between two requests of a connection. */
  keepAliveMs: 5_000,
  connectionCheckMs: 2_000,
  /** Silence during a request; longer than the files wait for a download in progress. */
  requestSilenceMs: 60_000,
  /** Connections without a request: beyond them, the one that has waited longest is closed. */
  connectionsWaitingMax: 256,
} as const
