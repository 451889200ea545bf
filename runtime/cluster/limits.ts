/** Leases and membership: limits, with their units in their names. */
export const clusterLimits = {
  leaseTouchMs: 25,
  leaseRetryMs: 100,
  membershipPollMs: 1_000,
  deadHostKeptMs: 60 * 60_000,
  certifyAttempts: 5,
} as const
