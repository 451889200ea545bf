/** Tasks: limits, with their units in their names. */
export const taskLimits = {
  promptChars: 50_000,
  providerChars: 64,
  modelChars: 200,
  secretChars: 4_096,
  secretsPerTask: 100,
  /**
   * Names and values of one task together; compiling patterns for this many takes a second or two.
   */
  secretCharsPerTask: 16_384,
  /** Each is a line of every prompt. */
  loginsPerTask: 50,
  taskSteps: 200,
  taskStepsMax: 1_000,
  taskSeconds: 60 * 60,
  taskSecondsMax: 24 * 60 * 60,
} as const
