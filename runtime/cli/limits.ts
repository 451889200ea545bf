/** Commands of the terminal: limits, with their units in their names. */
import { KiB, MiB, dayMs } from '../../proto/units.ts'

export const cliLimits = {
  /** Longer than a lease: by then every host has announced its keys, or is known to be dead. */
  keySharedMs: 30_000,

  natsWaitMs: 3_000,
  drainAskMs: 5_000,
  drainLookMs: 1_000,
  keyCheckMs: 10_000,
  poolFillMs: 30_000,
  backupChunkBytes: 512 * KiB,
  logFileBytes: 16 * MiB,
  supportLogBytes: 256 * KiB,
  probeMs: 10_000,
  leftoversShown: 3,

  cdpPortRequestMs: 30_000,
  cdpPortConnectionsMax: 256,
  /** Of a request's headers. */
  localHeadMs: 10_000,
  localHeadCheckMs: 2_000,
  /** Connections without a request: beyond them, the one that has waited longest is closed. */
  localWaitingMax: 64,
  cdpPortErrorChars: 16 * KiB,

  /** A session of `troupe browser`; an agent may think or build for minutes between two commands. */
  browserIdleMinutes: 30,
  browserMaxMinutes: 24 * 60,
  /** Longer than a session lives. */
  browserRememberedMs: 2 * dayMs,
  /**
   * How long to wait for a service that does not listen. A gateway that starts again takes 3 s, 7 s on a busy
   * machine; where no session is known, there may be no service at all.
   */
  browserReconnectMs: 15_000,
  browserConnectMs: 2_500,
  browserConnectPollMs: 100,
  /** Longer texts go into a file, of which the beginning is printed. Shells of agents show about 30,000. */
  browserPrintedChars: 24_000,
  browserBeginChars: 4_000,
  browserFileNameChars: 240,
} as const
