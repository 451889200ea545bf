/**
 * Permissions of the users of the service's account. Only actor hosts append to the audit, and no
 * user can remove from it, so a compromised gateway cannot hide its actions. A node agent runs next
 * to the browsers, so everything is denied to it except a short list.
 */
import type { Role } from '../../../../proto/ids.ts'
import { buckets, streams, subjects } from '../../../../proto/subjects.ts'
import { bucketStream } from '../stream-plan.ts'

const chained = [streams.audit, streams.checkpoints] as const
/** Nothing of them is removed before its time. */
const appended = [...chained, streams.serviceAudit] as const
const api = (verbs: readonly string[], names: readonly string[]) =>
  names.flatMap((name) => verbs.map((verb) => `$JS.API.STREAM.${verb}.${name}`))

/**
 * No user may restore: before nats-server 2.11.15, the right to restore one stream gave the right
 * to restore any (CVE-2026-33222).
 */
const removals = [...api(['DELETE', 'PURGE', 'MSG.DELETE'], appended), ...api(['RESTORE'], ['>'])]

/** Denied publishes of users that write the audit: actor hosts and commands. */
export const writersDeny: readonly string[] = removals

/** Denied publishes of gateways. */
export const othersDeny: readonly string[] = [
  subjects.auditAll,
  subjects.checkpointsAll,
  `$KV.${buckets.audit}.>`,
  // Deliveries are sent in the service's name, so only actor hosts create and send them.
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
 * The permissions of one host's node agent in nats-server's language. It renews its lease, reads
 * the leases of others, serves its own verbs, and sends reports. It may not create consumers,
 * because a consumer delivers to any subject, even one that its creator may not publish to.
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
