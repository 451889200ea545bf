/** Bounds of one browser: limits, with their units in their names. */
import { MiB } from '../../proto/units.ts'

export const boundsLimits = {
  /**
   * A folder is measured this often even if the disk has hardly filled: one browser may have used
   * the space that another has freed.
   */
  diskLookMs: 30_000,
  sessionProcesses: 400,
  /** Enforced by the kernel, which counts threads: a Chromium process has eleven on average. */
  sessionThreads: 6_000,
  /** The kernel also counts page cache, and the agent's own check should detect an excess first. */
  sessionMemoryMarginMib: 512,
  /**
   * Files and folders of a browser, which are counted one by one; Chromium makes some thousand. Also
   * bounds how long a count can take.
   */
  sessionFiles: 100_000,
  filesAtOnce: 64,
  /** Each level holds a descriptor while it is counted; Chromium needs about ten. */
  sessionFolderDepth: 100,
  /** Descriptors of all processes, and mappings of files without a name; 400 processes have 40,000. */
  sessionDescriptors: 100_000,
  /** The text of one process's mappings; one of Chromium's has about 0.2 MB. */
  processMapsBytes: 16 * MiB,
  cgroupMoveRounds: 20,
  cgroupRemoveAttempts: 200,
  cgroupRemoveRetryMs: 20,
} as const
