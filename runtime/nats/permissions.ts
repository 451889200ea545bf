/**
 * What the users of the service's account may not do. The audit is appended to by actor hosts
 * alone, and shortened by nobody: a gateway that is taken over cannot hide what it was used for.
 */
import { buckets, streams, subjects } from '../../proto/subjects.ts'
import { bucketStream } from './stream-plan.ts'

const chained = [streams.audit, streams.checkpoints] as const
const api = (verbs: readonly string[], names: readonly string[]) =>
  names.flatMap((name) => verbs.map((verb) => `$JS.API.STREAM.${verb}.${name}`))

const removals = api(['DELETE', 'PURGE', 'MSG.DELETE', 'RESTORE'], chained)

/** Publish: of those that write the audit, actor hosts and commands. */
export const writersDeny: readonly string[] = removals

/** Publish: of gateways and browser hosts. */
export const othersDeny: readonly string[] = [
  subjects.auditAll,
  subjects.checkpointsAll,
  `$KV.${buckets.audit}.>`,
  // What is sent in the service's name is made by actors and sent by their hosts.
  `$KV.${buckets.deliveries}.>`,
  ...removals,
  ...api(['UPDATE'], chained),
  ...api(
    ['DELETE', 'PURGE', 'UPDATE', 'RESTORE'],
    [bucketStream(buckets.audit), bucketStream(buckets.deliveries)],
  ),
]
