/** Actors: limits, with their units in their names. */
import { KiB } from '../../proto/units.ts'

export const actorLimits = {
  ownershipSweepMs: 2_000,
  adoptionsAtOnce: 16,
  orphansPerTurn: 500,
  /**
   * Rehearsal: simulated lives of each kind that a host runs before it is ready, and their time. A
   * session's first life takes 6 ms, its tenth 1 ms, its fortieth 0.6 ms and its thousandth 0.3 ms.
   */
  rehearsalRounds: 40,
  rehearsalTurnMs: 10,
  rehearsalMs: 500,
  /** Actors whose log was found empty once; the next sweep decides. */
  orphansRemembered: 10_000,

  mailboxCommands: 256,
  entryBytes: 256 * KiB,
  /** Entries of one running actor; beyond it, all but the last are removed. */
  logBytes: 256 * KiB,
  /** What LOG has in reserve: so many records of the size of the largest entry. */
  ballastParts: 8,
  logRoomCheckMs: 2_000,
  appendRetryMs: 20,
  appendRetryMaxMs: 250,
  repliesRemembered: 256,
  /** Commands that one actor has carried out and that may still be repeated. */
  requestsOpen: 1_024,
  /** Ids without a deadline, of callers of an older version, that an actor remembers. */
  undatedRequests: 64,
  /** Actors of which a caller remembers which commands they have answered. */
  answeredActors: 1_000,
  answeredPerCommand: 64,
  cellRestarts: 3,
  cellRestartMs: 500,
  cellRestartMaxMs: 5_000,
  recoverAttempts: 5,
  /** An actor that cannot be loaded is given up after some fifteen seconds. */
  loadTries: 5,
  loadRetryMs: 1_000,
  loadRetryMaxMs: 60_000,
  /** Of those, how many a host reports by name, and how much of the reason. */
  failedShown: 5,
  failureChars: 200,
  viewGatherMs: 10,
  viewAttempts: 24,
  viewRetryMs: 100,
  viewRetryMaxMs: 5_000,
  askMs: 30_000,
  askTryMs: 2_000,
  askRetryMs: 25,
  placeMs: 1_500,
  /** How often the room of tenants is searched for what has expired, if one of them is full. */
  roomExpiryMs: 60_000,
  retentionSweepMs: 10 * 60_000,
  /** Actors that a sweep removes at the same time. */
  retentionSlice: 4,
  /** Slices in a row of which the store has answered nothing: the sweep then ends. */
  retentionSilentSlices: 3,
  /** An hour after its end, at the latest, an actor is packed into the archive. */
  archiveAfterMs: 10 * 60_000,
  archiveGatherMs: 50 * 60_000,
  /** Longer than gateways take to read a segment. */
  archiveSettleMs: 60_000,
  /**
   * From this share of the log or the views in use, nothing waits: less than one tenant may use, so
   * that nobody is refused a session because of sessions that have ended.
   */
  archiveTightShare: 0.5,
  archiveSweepMs: 30_000,
  archivePruneMs: 10 * 60_000,
  /** A message of the archive; before compression. */
  segmentEntries: 200,
  segmentBytes: 512 * KiB,
  /** How often a gateway asks whether there are new segments, and how many it takes at once. */
  historyPollMs: 5_000,
  /** How long a gateway that starts waits for the archive before it serves. */
  historyOpenMs: 2_000,
  historySegments: 4,
  /** Archived views that a gateway has in memory, in whole segments. */
  historyCachedViews: 12_000,
  passivateAfterMs: 60_000,

  feedAttempts: 5,
  feedPollMs: 5_000,
} as const
