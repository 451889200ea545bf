/** The network filter: limits, with their units in their names. */
export const filterLimits = {
  networkPolicyMs: 5_000,
  networkPolicyPollMs: 5,
  /** How often a node agent reports the refusals of its browsers to the audit. */
  refusalReportMs: 5_000,
} as const
