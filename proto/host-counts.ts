/** Counters that processes report in their host records. They start at 0 with each process. */

/** Upper bounds of the buckets of a {@link ReportedHistogram}, in seconds. */
export const reportedBoundsSeconds = [0.005, 0.05, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const

/** Durations that a process has measured since it started. */
export interface ReportedHistogram {
  /** Number of durations in each bucket; the last bucket has those above every bound. */
  readonly counts: readonly number[]
  readonly sumSeconds: number
}

/** Why a browser ended without a request of the service; `closed`: a client closed it. */
export const browserExitCauses = ['crashed', 'closed', 'out_of_resources'] as const
export type BrowserExitCause = (typeof browserExitCauses)[number]

export const claimRefusals = ['queue_full', 'queue_timeout'] as const
export type ClaimRefusal = (typeof claimRefusals)[number]

/** Counters of a node agent. */
export interface BrowserCounts {
  /** From the start of a browser until it was warm. */
  readonly boots: ReportedHistogram
  readonly bootFailures: number
  /** From a claim until it had its browser. */
  readonly waits: ReportedHistogram
  readonly refusals: Readonly<Record<ClaimRefusal, number>>
  readonly exits: Readonly<Record<BrowserExitCause, number>>
}

/** Connections of browsers that go through the egress process of their node agent. */
export interface ConnectionLoad {
  readonly open: number
  /** Refused because their browser, or all together, had too many; since the agent started. */
  readonly refused: number
  /** How often that process was started again, which ends its connections. Absent: an older agent. */
  readonly restarts?: number
}

/** An actor that cannot be loaded, for instance because of a bug of its machine. */
export interface FailedActor {
  readonly kind: string
  readonly id: string
  /** Wall-clock ms of the first try. */
  readonly sinceMs: number
  readonly reason: string
}

/** Actors of an actor host, now and since it started. */
export interface ActorLoad {
  /** Actors that live in it. */
  readonly residents: number
  /** Actors that it took over from a process that died. */
  readonly takeovers: number
  /** Actors that it has given up because they cannot be loaded. Absent: an older host. */
  readonly failed?: number
  /** Some of them. */
  readonly failures?: readonly FailedActor[]
}

/** Activity and cost of the tasks of an actor host. */
export interface TaskCounts {
  readonly steps: number
  /** By `TaskEnd`; zero counts are left out. */
  readonly ends: Readonly<Record<string, number>>
  /** Requests to models, answered or not. */
  readonly modelRequests: number
  /** By `ModelFailureKind`; zero counts are left out. */
  readonly modelFailures: Readonly<Record<string, number>>
  readonly tokens: {
    /** Includes cached tokens. */
    readonly input: number
    readonly cached: number
    readonly output: number
  }
  /** Sum of the known costs, see `TaskUsage.costUsd`. */
  readonly costUsd: number
}
