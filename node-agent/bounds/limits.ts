/** Bounds of one browser: limits, with their units in their names. */
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
  cgroupMoveRounds: 20,
  cgroupRemoveAttempts: 200,
  cgroupRemoveRetryMs: 20,
} as const
