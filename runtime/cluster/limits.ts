/** Leases and membership: limits, with their units in their names. */
export const clusterLimits = {
  leaseTouchMs: 25,
  leaseRetryMs: 100,
  /** Of the margin: if the two clocks differ by more, the lease is in doubt. */
  clockJumpShare: 0.5,
  /** Of actor hosts, for placement. */
  hostDigests: 10_000,
  membershipPollMs: 1_000,
  deadHostKeptMs: 60 * 60_000,
  certifyAttempts: 5,
} as const
