/** Sessions: limits, with their units in their names. */
export const sessionLimits = {
  tagsPerSession: 50,
  tagChars: 128,

  domainChars: 255,
} as const
