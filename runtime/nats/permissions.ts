/**
 * What the users of the service's account may do. The audit is appended to by actor hosts alone, and
 * shortened by nobody: a gateway that is taken over cannot hide what it was used for. A node agent
 * stands next to the browsers, so it has a short list of what it may do, and nothing else.
 */
import type { Role } from '../../proto/ids.ts'
import { buckets, streams, subjects } from '../../proto/subjects.ts'
import { bucketStream } from './stream-plan.ts'

const chained = [streams.audit, streams.checkpoints] as const
/** Nothing of them is removed before its time. */
const appended = [...chained, streams.serviceAudit] as const
const api = (verbs: readonly string[], names: readonly string[]) =>
  names.flatMap((name) => verbs.map((verb) => `$JS.API.STREAM.${verb}.${name}`))

/**
 * Restoring is nobody's: before nats-server 2.11.15, who may restore one stream may restore any
 * (CVE-2026-33222).
 */
const removals = [...api(['DELETE', 'PURGE', 'MSG.DELETE'], appended), ...api(['RESTORE'], ['>'])]

/** Publish: of those that write the audit, actor hosts and commands. */
export const writersDeny: readonly string[] = removals

/** Publish: of gateways. */
export const othersDeny: readonly string[] = [
  subjects.auditAll,
  subjects.checkpointsAll,
  `$KV.${buckets.audit}.>`,
  // What is sent in the service's name is made by actors and sent by their hosts.
  `$KV.${buckets.deliveries}.>`,
  ...removals,
  ...api(['UPDATE'], appended),
  ...api(
    ['DELETE', 'PURGE', 'UPDATE'],
    [bucketStream(buckets.audit), bucketStream(buckets.deliveries)],
  ),
]

/** Longer than any verb of a node agent takes. */
const answersWithin = '1h'

/**
 * The permissions of one host's node agent, in the words of nats-server. It keeps its lease, sees
 * the leases of others, is asked its own verbs, and reports. It makes no consumers: one delivers to
 * any subject, past what its maker may publish.
 */
export function agentPermissions(nodeId: string) {
  const hosts = bucketStream(buckets.hosts)
  return {
    publish: {
      allow: [
        `$KV.${buckets.hosts}.${nodeId}.${'node-agent' satisfies Role}.*`,
        ...api(['INFO', 'MSG.GET'], [hosts]),
        subjects.agentReports,
      ],
    },
    subscribe: {
      allow: [
        subjects.nodeAll(nodeId),
        subjects.bucketChanges(buckets.hosts),
        `_INBOX.${nodeId}.node-agent.>`,
      ],
    },
    allow_responses: { max: 1, expires: answersWithin },
  }
}
