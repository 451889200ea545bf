/** Commands on a host: limits, with their units in their names. */
export const agentCommandLimits = {
  /** How many tasks per session have their epochs remembered. */
  tasksFenced: 1_000,

  inputActionsQueued: 256,
} as const
