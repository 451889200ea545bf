/**
 * The streams behind the store, and how each is kept. The names of
 * the fields are those of JetStream.
 */
import { limits } from '../../proto/limits.ts'
import { buckets, streams, subjects } from '../../proto/subjects.ts'

export interface StreamPlan {
  readonly name: string
  readonly subjects: string[]
  readonly num_replicas: number
  /** False: a read that any replica may answer can go back in time. */
  readonly allow_direct: false
  readonly max_msgs_per_subject?: number
  readonly max_msgs?: number
  readonly deny_delete?: boolean
  readonly allow_rollup_hdrs?: boolean
  /** Nanoseconds, like every duration of JetStream. */
  readonly max_age?: number
  readonly duplicate_window?: number
  readonly republish?: { readonly src: string; readonly dest: string }
}

export const bucketStream = (name: string) => `KV_${name}`

/** A cluster keeps three copies, so that one server may be away. */
export function streamPlans(clustered: boolean): StreamPlan[] {
  const common = { num_replicas: clustered ? 3 : 1, allow_direct: false } as const
  return [
    {
      ...common,
      name: streams.log,
      subjects: [subjects.logAll],
      max_msgs_per_subject: limits.logEntriesPerActor,
      deny_delete: true,
      duplicate_window: nanos(limits.logDuplicatesMs),
    },
    {
      ...common,
      name: streams.steps,
      subjects: [subjects.publicAll],
      max_age: nanos(limits.stepsKeptMs),
    },
    {
      ...common,
      name: streams.pictures,
      subjects: [subjects.picturesAll],
      max_age: nanos(limits.stepsKeptMs),
      max_msgs: limits.picturesKept,
    },
    ...Object.values(buckets).map((bucket) => ({
      ...common,
      name: bucketStream(bucket),
      subjects: [`$KV.${bucket}.>`],
      max_msgs_per_subject: 1,
      deny_delete: true,
      allow_rollup_hdrs: true,
      republish: { src: `$KV.${bucket}.>`, dest: subjects.bucketChanges(bucket) },
      // Forgotten by themselves: most logins are never finished.
      ...(bucket === buckets.logins && {
        max_age: nanos(limits.loginKeptMs),
        max_msgs: limits.loginsKept,
      }),
    })),
  ]
}

function nanos(ms: number): number {
  return ms * 1_000_000
}
