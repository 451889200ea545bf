/** Browsers' folders: limits, with their units in their names. */
import { MiB } from '../../proto/units.ts'

export const folderLimits = {
  /** Per session; each upload may use its full size on disk before it is counted. */
  uploadsAtOnce: 8,
  fileNameBytes: 200,
  /** Per session, for all uploads together, and for all agent files together. */
  folderBytes: 1024 * MiB,
  folderFiles: 1_000,
  zipUnpackedBytes: 512 * MiB,
  zipPathBytes: 1_024,
  downloadsRemembered: 1_000,
  /**
   * How long a request for a download waits until the download has ended; gateways wait longer for
   * the agent.
   */
  downloadWaitMs: 30_000,
  /** Interval of the looks at a download that an earlier agent has seen beginning. */
  downloadLookMs: 250,
  /** Without a byte for so long, it has ended. */
  downloadStuckMs: 10_000,
  /** A PDF that no download has announced was printed if it has been there for so long. */
  printedStillMs: 500,

  scratchRemoveAttempts: 10,
  scratchRemoveRetryMs: 500,
  /** The wait after a removal that has failed, for instance because the disk had an error. */
  scratchRemoveLaterMs: 60_000,
} as const
