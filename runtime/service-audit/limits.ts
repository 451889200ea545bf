const minuteMs = 60_000

/** Limits of the service's audit. */
export const serviceAuditLimits = {
  /** Equal refusals are written once in this time, with their number. */
  repeatMs: minuteMs,
  /** Different refusals within that time; further ones of a tenant are counted together. */
  repeatKeysMax: 1_000,
  /** Length of a text in the details of an entry. */
  textChars: 200,
  /** Size of the windows of sequence numbers in which a list reads the stream backwards. */
  windowEntries: 256,
  windowEntriesMax: 4_096,
  /** Maximum number of entries, and of windows, that one page may read. */
  scannedEntries: 8_192,
  scannedWindows: 64,
  /** How often a follower looks for new entries. */
  followMs: 500,
  /** Rows of one page. */
  pageRows: 50,
  pageRowsMax: 500,
} as const
