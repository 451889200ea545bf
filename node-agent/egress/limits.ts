/** The egress process: limits, with their units in their names. */
import { KiB } from '../../proto/units.ts'

export const egressLimits = {
  /** Connections of one browser unless set, and how many more are told that they are too many. */
  connectionsPerBrowser: 512,
  refusedConnections: 64,
  /** The part of this process' descriptors that the connections of all browsers may take. */
  descriptorShare: 0.9,
  /** Stands for a limit of descriptors that is not a number. */
  descriptorsUnlimited: 1_048_576,
  /** Names that are looked up at once, for all browsers and for each. */
  lookUps: 128,
  lookUpsPerBrowser: 16,
  /** How long the head of a request may take; Chromium keeps an unused connection for 10 s. */
  requestHeadMs: 20_000,
  /** How long a connection or a tunnel may be without a byte in either direction. */
  idleConnectionMs: 15 * 60_000,
  /** Hosts of a browser whose last failure is known. */
  failedHosts: 200,
  /** What is read from a site at once, while fewer than so many buffers are in use, and beyond. */
  readBytes: 128 * KiB,
  largeBuffers: 256,
  smallReadBytes: 8 * KiB,
  /** Large ones that are kept for the next reads. */
  freeBuffers: 64,
  /** What may wait in this process to be sent, for each connection and direction. */
  waitingBytes: 64 * KiB,
  /** Requests that wait for the answer to an earlier one on the same connection. */
  pipelinedRequests: 8,
  /** How often the agent is told of the number of connections, at most. */
  loadReportMs: 500,
} as const
