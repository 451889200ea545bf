/**
 * The streams of the store and their retention. Field names are those of JetStream.
 *
 * Each stream has a share of the store that the server reserves, so that none can take the room of
 * another: however many pictures are stored, leases are renewed and logs continue.
 */
import { accessLimits } from '../../../proto/access/limits.ts'
import { webhookLimits } from '../../../proto/access/webhooks/webhook-limits.ts'
import { MiB } from '../../../proto/units.ts'
import { limits } from '../../../proto/limits.ts'
import { buckets, streams, subjects } from '../../../proto/subjects.ts'
import { storeLimits } from '../limits.ts'

export interface StreamPlan {
  readonly name: string
  readonly subjects: string[]
  readonly num_replicas: number
  readonly max_bytes: number
  /**
   * When the stream is full: `new` refuses the write, because stored data must not be lost; `old`
   * removes the oldest, because new data matters more.
   */
  readonly discard: 'new' | 'old'
  /** False: a read answered by any replica could return older data than an earlier read. */
  readonly allow_direct: false
  readonly max_msgs_per_subject?: number
  readonly max_msgs?: number
  readonly deny_delete?: boolean
  readonly deny_purge?: boolean
  readonly allow_rollup_hdrs?: boolean
  /** Nanoseconds, as all durations of JetStream. */
  readonly max_age?: number
  readonly duplicate_window?: number
  readonly republish?: { readonly src: string; readonly dest: string }
}

export const bucketStream = (name: string) => `KV_${name}`

/**
 * Percent of the store. The rest is for what NATS stores beside messages, and for nats-server's
 * rounding, whose `8G` is less than 8 GiB.
 */
const shares = {
  /** The state of all sessions and tasks, including those that ended within the last hour. */
  log: 26,
  /** Those that ended earlier: some 100 bytes each. */
  archive: 7,
  steps: 7,
  /** By far the largest messages, and the least important ones. */
  pictures: 9,
  /** Never removed: a few hundred bytes per decision. */
  audit: 8,
  checkpoints: 1,
  notes: 1,
  reads: 2,
  serviceAudit: 2,
  buckets: {
    /**
     * A few hundred bytes per process of the last hour; must never be full, or leases would end.
     */
    hosts: 1,
    owners: 3,
    keys: 1,
    views: 8,
    credentials: 1,
    logins: 1,
    names: 1,
    /** Some 500 bytes per profile; their contents are blobs. */
    profiles: 1,
    /** Some 500 bytes per login. */
    siteLogins: 1,
    /** Some 1,000 bytes per extension; their files are blobs. */
    extensions: 0.4,
    audit: 1,
    /** Answers for repeated requests. */
    idempotency: 2,
    /** Records of all clients' areas, with some past values of each. */
    records: 8,
    /** Webhook deliveries: sent and unsent. */
    deliveries: 2.6,
  },
} as const

/** Buckets whose records expire. */
const passing: { readonly [name in keyof typeof buckets]?: Partial<StreamPlan> } = {
  /** Most logins are never finished. */
  logins: { discard: 'old', max_age: nanos(limits.loginKeptMs), max_msgs: storeLimits.loginsKept },
  /** Refuses when full: a record that went early would let a repeat run again. */
  idempotency: { max_age: nanos(limits.idempotencyKeptMs) },
  /** Unsent deliveries were changed last, so the oldest sent ones are removed first. */
  deliveries: { discard: 'old', max_age: nanos(webhookLimits.deliveryKeptMs) },
}

/**
 * A cluster keeps three copies, so that one server may be down; each server has the whole store.
 */
export function streamPlans(clustered: boolean, storeMib: number): StreamPlan[] {
  const common = { num_replicas: clustered ? 3 : 1, allow_direct: false } as const
  const share = (percent: number) => Math.floor((storeMib * MiB * percent) / 100)
  return [
    {
      ...common,
      name: streams.log,
      subjects: [subjects.logAll],
      max_bytes: share(shares.log),
      // The oldest entry may be the only one of a live actor.
      discard: 'new',
      max_msgs_per_subject: storeLimits.logEntriesPerActor,
      deny_delete: true,
      duplicate_window: nanos(storeLimits.logDuplicatesMs),
    },
    {
      ...common,
      name: streams.archive,
      subjects: [subjects.archiveAll],
      max_bytes: share(shares.archive),
      // What has ended must not refuse what begins.
      discard: 'old',
    },
    {
      ...common,
      name: streams.steps,
      subjects: [subjects.publicAll],
      max_bytes: share(shares.steps),
      // Old records are less important than the progress of running tasks.
      discard: 'old',
      max_age: nanos(storeLimits.stepsKeptMs),
    },
    {
      ...common,
      name: streams.pictures,
      subjects: [subjects.picturesAll],
      max_bytes: share(shares.pictures),
      // Steps are readable without their pictures.
      discard: 'old',
      max_age: nanos(storeLimits.stepsKeptMs),
      // Tenants have shares of its bytes; a number of messages would be a second room, without shares.
      max_msgs: -1,
    },
    ...auditPlans(common, share),
    ...Object.values(buckets).map((bucket) => ({
      ...common,
      name: bucketStream(bucket),
      subjects: [`$KV.${bucket}.>`],
      max_bytes: share(shares.buckets[bucket]),
      // A record that disappeared would be a key that stops working, or a host that counts as dead.
      discard: 'new' as const,
      max_msgs_per_subject: 1,
      deny_delete: true,
      allow_rollup_hdrs: true,
      republish: { src: `$KV.${bucket}.>`, dest: subjects.bucketChanges(bucket) },
      // The audit is derived from each change and may be behind.
      ...(bucket === buckets.records && { max_msgs_per_subject: accessLimits.recordHistory }),
      ...passing[bucket],
    })),
  ]
}

/** The room of one stream. */
export function streamRoomBytes(name: string, storeMib: number): number {
  const plan = streamPlans(false, storeMib).find((each) => each.name === name)
  if (!plan) throw new Error(`there is no stream ${name}`)
  return plan.max_bytes
}

/** Decisions are never removed; notes and read records are removed after a time. */
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
      // Old notes are in the audit already.
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
      // During an attack much is written, and new entries matter more than old ones.
      discard: 'old',
      max_age: nanos(storeLimits.serviceAuditKeptMs),
      // A subject has the entries, or the refusals, of one tenant, and pushes out only its own.
      max_msgs_per_subject: Math.floor(
        share(shares.serviceAudit) /
          (storeLimits.serviceAuditSubjects * storeLimits.serviceAuditEntryBytes),
      ),
      deny_delete: true,
      deny_purge: true,
    },
  ]
}

function nanos(ms: number): number {
  return ms * 1_000_000
}
