/** Starting and ending Chromium: limits, with their units in their names. */
export const chromiumLimits = {
  windowMaximizeMs: 1_500,
  browserAnswerMs: 2_000,
  browserStderrChars: 4_096,
  windowFitMs: 3_000,
  windowFitPollMs: 15,
  initialNavigationMs: 5_000,
} as const
