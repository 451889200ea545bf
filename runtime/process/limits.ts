/** Processes and their supervision: limits, with their units in their names. */
export const processLimits = {
  guardRounds: 50,
  guardRestartMs: 50,
  roleBackoffMs: 100,
  roleBackoffMaxMs: 10_000,
  roleStableMs: 30_000,
  /** Start attempts of a child that has never come up; then the start fails with its reason. */
  firstStartAttempts: 3,
  certifyForMs: 15_000,
  certifyOnStopMs: 1_000,
} as const
