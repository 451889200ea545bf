/** The store and NATS: limits, with their units in their names. */
import { KiB, MiB, dayMs } from '../../proto/units.ts'

export const storeLimits = {
  loginsKept: 10_000,

  natsConnectMs: 20_000,
  natsDialMs: 3_000,
  natsReconnectMs: 250,
  /** How long after a reconnection a subject that nobody serves is asked again, and how often. */
  natsAllBackMs: 1_500,
  natsServedAgainMs: 50,
  /** Interval of the log line that a stream is full. */
  storeFullLogMs: 60_000,
  storeReadyMs: 30_000,
  /** For a stream to appear that another process creates. */
  anothersStreamMs: 1_000,
  /** Of a stream for which a full store has no room yet. */
  firstStreamBytes: 8 * MiB,
  /** A stream counts as full from here on: larger entries find no room. */
  fullPercent: 98,
  /** Below the message limit of every nats-server. */
  snapshotChunkBytes: 512 * KiB,
  /** Longest wait for the next chunk of a copied stream, and for the answer that a copy begins. */
  snapshotChunkMs: 60_000,
  /** A large stream is read again at the end of its restore. */
  snapshotAnswerMs: 10 * 60_000,
  /** The keys of a stream with more messages than this are read through a consumer. */
  storeKeysReadSingly: 1_000,
  /** Read from a large bucket in one turn. */
  storeSliceMessages: 10_000,
  /** Longest wait for the next message of a slice. */
  storeSliceMs: 10_000,
  /** How long a start waits for a store that is slow, or away. */
  storeAnswersMs: 10 * 60_000,
  logDuplicatesMs: 1_000,
  stepsKeptMs: 7 * dayMs,
  /** So many subjects fill the stream of the service's audit, with entries of this usual size. */
  serviceAuditSubjects: 4,
  serviceAuditEntryBytes: 384,
  serviceAuditKeptMs: 400 * dayMs,
  watchCatchUpMs: 5_000,
  /** How long a change that the store has may take to be delivered, before it is read. */
  watchOnItsWayMs: 20,
  /** How often a map is confirmed to hold what its bucket has. */
  watchedMapCheckMs: 60_000,
  /** Well below the time for which markers of deletions are kept. */
  watchTrustedMs: 30 * 60_000,
  /** Confirmations in a row that find the store behind, after which its records are read again. */
  rollbacksBelieved: 2,

  logEntriesPerActor: 64,
} as const
