/** Profiles: limits, with their units in their names. */
export const profileLimits = {
  /** Of one tenant. */
  profilesPerTenant: 1_000,
  /** Of one profile; the oldest goes when another is saved. */
  versionsKept: 3,
  changeAttempts: 20,
} as const
