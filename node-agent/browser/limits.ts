/** Starting and ending Chromium: limits, with their units in their names. */
export const chromiumLimits = {
  windowMaximizeMs: 1_500,
  browserAnswerMs: 2_000,
  /** How long the release of a browser waits for the number of requests that its rules have blocked. */
  blockedCountMs: 3_000,
  browserStderrChars: 4_096,
  windowFitMs: 3_000,
  windowFitPollMs: 15,
  initialNavigationMs: 5_000,
  reloadPollMs: 50,
  /** Interval of the looks at a browser that an earlier agent has started. */
  browserLookMs: 500,
  listenerRetryMs: 50,
  /** Of one session; beyond it, the one visited longest ago is forgotten. */
  originsRemembered: 500,
  /** How long a page may take to tell which frames it has. */
  framesMs: 500,
  /** An agent that ends within this time of taking a browser over may have ended because of it. */
  adoptedStableMs: 10_000,
  adoptionsAtMost: 3,
} as const
