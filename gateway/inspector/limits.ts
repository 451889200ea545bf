/** The DevTools front end: limits, with their units in their names. */
export const inspectorLimits = {
  /** How long a link is valid; connections opened with it end then. */
  linkSeconds: 3_600,
  /** How long a reader's browser may keep files of the front end. */
  fileKeptSeconds: 3_600,
} as const
