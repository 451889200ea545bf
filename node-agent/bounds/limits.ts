/** Bounds of one browser: limits, with their units in their names. */
export const boundsLimits = {
  /** Even if the disk has hardly filled: one browser may have used what another has freed. */
  diskLookMs: 30_000,
  sessionProcesses: 400,
  /** Bound of the kernel, which counts threads: a process of Chromium has eleven on average. */
  sessionThreads: 6_000,
  /** The kernel also counts what it keeps for a browser, and the look at it should come first. */
  sessionMemoryMarginMib: 512,
  cgroupMoveRounds: 20,
  cgroupRemoveAttempts: 200,
  cgroupRemoveRetryMs: 20,
} as const
