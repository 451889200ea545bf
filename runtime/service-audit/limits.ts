const minuteMs = 60_000

/** Limits of the service's audit. */
export const serviceAuditLimits = {
  /** Refusals that are alike are written once in this time, with how many there were. */
  repeatMs: minuteMs,
  /** Kinds of refusals told apart within that time; the others are counted together. */
  repeatsTold: 1_000,
  /** Sequence numbers of the stream that a list reads at once, going back. */
  windowEntries: 256,
  windowEntriesMax: 4_096,
  /** Entries, and windows, that one page may look at before it answers with what it has. */
  scannedEntries: 8_192,
  scannedWindows: 64,
  /** How often a follower looks for new entries. */
  followMs: 500,
  /** Rows of one page. */
  pageRows: 50,
  pageRowsMax: 500,
} as const
