/** Extensions: limits, with their units in their names. */
export const extensionLimits = {
  extensionsPerTenant: 100,
  changeAttempts: 20,
} as const
