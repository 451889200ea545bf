/** Processes and their supervision: limits, with their units in their names. */
export const processLimits = {
  guardRounds: 50,
  guardRestartMs: 50,
  removalErrorChars: 1_000,
  /** A browser's folder that has no record for longer than this is not of a browser that starts. */
  recordWrittenMs: 60_000,
  /** Interval of the questions to a role whether it still answers. */
  heartbeatMs: 1_000,
  /** Beyond the time after which a role that does not answer is replaced. */
  heartbeatSpareMs: 2_000,
  roleBackoffMs: 100,
  roleBackoffMaxMs: 10_000,
  roleStableMs: 30_000,
  /** Start attempts of a child that has never come up; then the start fails with its reason. */
  firstStartAttempts: 3,
  /** A folder on a network file system may never answer. */
  folderProbeMs: 5_000,
  /** How long a gateway of an earlier start may still hold its port. */
  portFreedMs: 3_000,
  portCheckMs: 100,
  certifyForMs: 15_000,
  certifyOnStopMs: 1_000,
} as const
