/** The network of a browser: limits, with their units in their names. */
export const networkLimits = {
  /** How long it may take until a policy is in force. */
  policyMs: 5_000,
  /** How often a node agent reports the refusals of its browsers to the audit. */
  refusalReportMs: 5_000,
  /** How long a question to the egress process may take. */
  egressAnswerMs: 2_000,
  /** The first pause before an egress process that ends again and again is started again. */
  egressRestartMs: 100,
  egressRestartMostMs: 5_000,
  /** An egress process that has run for so long is started again at once. */
  egressStableMs: 10_000,
  /** A process that does not answer for so long is ended. */
  egressHungMs: 10_000,
  egressHeapMiB: 512,
} as const
