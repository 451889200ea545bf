/** Commands on a host: limits, with their units in their names. */
export const agentCommandLimits = {
  /** Tasks of one session whose epochs are remembered. */
  tasksFenced: 1_000,

  inputActionsQueued: 256,
  /** Commands of one session that people can see afterwards. */
  journalEntries: 200,
} as const
