/**
 * The streams behind the store, and how each is kept. The names of the fields are those of
 * JetStream.
 *
 * Each stream has a share of the store of its own, which the server reserves, so none can take the
 * room of another: however many pictures there are, leases are renewed and logs go on.
 */
import { accessLimits } from '../../proto/access/limits.ts'
import { webhookLimits } from '../../proto/access/webhook-limits.ts'
import { MiB } from '../../proto/browser-limits.ts'
import { limits } from '../../proto/limits.ts'
import { buckets, streams, subjects } from '../../proto/subjects.ts'

export interface StreamPlan {
  readonly name: string
  readonly subjects: string[]
  readonly num_replicas: number
  readonly max_bytes: number
  /**
   * What happens when it is full. `new`: the write is refused, where what is there must not be
   * lost. `old`: the oldest goes, where what comes matters more.
   */
  readonly discard: 'new' | 'old'
  /** False: a read that any replica may answer can go back in time. */
  readonly allow_direct: false
  readonly max_msgs_per_subject?: number
  readonly max_msgs?: number
  readonly deny_delete?: boolean
  readonly deny_purge?: boolean
  readonly allow_rollup_hdrs?: boolean
  /** Nanoseconds, like every duration of JetStream. */
  readonly max_age?: number
  readonly duplicate_window?: number
  readonly republish?: { readonly src: string; readonly dest: string }
}

export const bucketStream = (name: string) => `KV_${name}`

/**
 * Percent of the store. The rest is room for what NATS itself keeps beside messages, and for
 * rounding by nats-server, whose `8G` is less than 8 GiB.
 */
const shares = {
  /** The state of every session and task, ended ones too until retention removes them. */
  log: 33,
  steps: 8,
  /** Much the largest messages, and the first that can be missed. */
  pictures: 11,
  /** Kept for good: a few hundred bytes for each decision. */
  audit: 8,
  checkpoints: 1,
  notes: 1,
  reads: 2,
  serviceAudit: 3,
  buckets: {
    /** A few hundred bytes for each process of the last hour: never full, or leases would end. */
    hosts: 1,
    owners: 3,
    keys: 1,
    views: 8,
    credentials: 1,
    logins: 1,
    names: 1,
    audit: 1,
    /** Answers for those who send a request again. */
    idempotency: 2,
    /** Of all clients' areas, each with some of its past values. */
    records: 8,
    /** Webhooks: what was sent, and what is still to be. */
    deliveries: 3,
  },
} as const

/** Buckets whose records are forgotten by themselves; when full, the oldest go first. */
const passing: { readonly [name in keyof typeof buckets]?: Partial<StreamPlan> } = {
  /** Most are never finished. */
  logins: { discard: 'old', max_age: nanos(limits.loginKeptMs), max_msgs: limits.loginsKept },
  /** A repeat comes soon; callers without one must not be refused for those that are kept. */
  idempotency: { discard: 'old', max_age: nanos(limits.idempotencyKeptMs) },
  /** What is still to be sent was changed last, so what was sent long ago goes first. */
  deliveries: { discard: 'old', max_age: nanos(webhookLimits.deliveryKeptMs) },
}

/** A cluster keeps three copies, so that one server may be away; each server has all of the store. */
export function streamPlans(clustered: boolean, storeMib: number): StreamPlan[] {
  const common = { num_replicas: clustered ? 3 : 1, allow_direct: false } as const
  const share = (percent: number) => Math.floor((storeMib * MiB * percent) / 100)
  return [
    {
      ...common,
      name: streams.log,
      subjects: [subjects.logAll],
      max_bytes: share(shares.log),
      // The oldest entry may be the only one of an actor that is alive.
      discard: 'new',
      max_msgs_per_subject: limits.logEntriesPerActor,
      deny_delete: true,
      duplicate_window: nanos(limits.logDuplicatesMs),
    },
    {
      ...common,
      name: streams.steps,
      subjects: [subjects.publicAll],
      max_bytes: share(shares.steps),
      // A record of what was done long ago is worth less than tasks that can go on.
      discard: 'old',
      max_age: nanos(limits.stepsKeptMs),
    },
    {
      ...common,
      name: streams.pictures,
      subjects: [subjects.picturesAll],
      max_bytes: share(shares.pictures),
      // Steps are readable without their pictures.
      discard: 'old',
      max_age: nanos(limits.stepsKeptMs),
      max_msgs: limits.picturesKept,
    },
    ...auditPlans(common, share),
    ...Object.values(buckets).map((bucket) => ({
      ...common,
      name: bucketStream(bucket),
      subjects: [`$KV.${bucket}.>`],
      max_bytes: share(shares.buckets[bucket]),
      // A record that went by itself would be a key that stops working, or a host called dead.
      discard: 'new' as const,
      max_msgs_per_subject: 1,
      deny_delete: true,
      allow_rollup_hdrs: true,
      republish: { src: `$KV.${bucket}.>`, dest: subjects.bucketChanges(bucket) },
      // The audit is derived from each change, and may be behind.
      ...(bucket === buckets.records && { max_msgs_per_subject: accessLimits.recordHistory }),
      ...passing[bucket],
    })),
  ]
}

/** What was decided is never removed, by nobody; what led there and what was read, after a time. */
function auditPlans(
  common: Pick<StreamPlan, 'num_replicas' | 'allow_direct'>,
  share: (percent: number) => number,
): StreamPlan[] {
  const forGood = { ...common, discard: 'new', deny_delete: true, deny_purge: true } as const
  return [
    {
      ...forGood,
      name: streams.audit,
      subjects: [subjects.auditAll],
      max_bytes: share(shares.audit),
    },
    {
      ...forGood,
      name: streams.checkpoints,
      subjects: [subjects.checkpointsAll],
      max_bytes: share(shares.checkpoints),
    },
    {
      ...common,
      name: streams.notes,
      subjects: [subjects.notesAll],
      max_bytes: share(shares.notes),
      // What is old is in the audit already.
      discard: 'old',
      max_age: nanos(accessLimits.noteKeptMs),
    },
    {
      ...common,
      name: streams.reads,
      subjects: [subjects.readsAll],
      max_bytes: share(shares.reads),
      discard: 'old',
      max_age: nanos(accessLimits.readsKeptMs),
    },
    {
      ...common,
      name: streams.serviceAudit,
      subjects: [subjects.serviceAuditAll],
      max_bytes: share(shares.serviceAudit),
      // A service that is attacked writes much: what comes is worth more than what is old.
      discard: 'old',
      max_age: nanos(limits.serviceAuditKeptMs),
      deny_delete: true,
      deny_purge: true,
    },
  ]
}

function nanos(ms: number): number {
  return ms * 1_000_000
}
