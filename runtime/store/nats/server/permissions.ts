/**
 * Permissions of the users of the service's account. Actor hosts own the store; only they append to
 * the audit, and no user can remove from it. To gateways and node agents, which others can reach,
 * everything is denied except a list of what they do.
 */
import type { Role } from '../../../../proto/ids.ts'
import { buckets, streams, subjects } from '../../../../proto/subjects.ts'
import { bucketStream } from '../stream-plan.ts'

const chained = [streams.audit, streams.checkpoints] as const
/** Streams from which users may not remove messages. */
const appended = [...chained, streams.serviceAudit] as const
const api = (verbs: readonly string[], names: readonly string[]) =>
  names.flatMap((name) => verbs.map((verb) => `$JS.API.STREAM.${verb}.${name}`))

/**
 * No user may restore: before nats-server 2.11.15, the right to restore one stream gave the right
 * to restore any (CVE-2026-33222).
 */
const removals = [...api(['DELETE', 'PURGE', 'MSG.DELETE'], appended), ...api(['RESTORE'], ['>'])]

/** Denied publishes of actor hosts and commands. */
export const actorsDeny: readonly string[] = removals

/**
 * The buckets whose records gateways write. Owners, views and the actors' logs belong to actor hosts;
 * deliveries are sent in the service's name, so only actor hosts create and send them.
 */
const gatewayBuckets = [
  buckets.keys,
  buckets.credentials,
  buckets.logins,
  buckets.names,
  buckets.profiles,
  buckets.siteLogins,
  buckets.extensions,
  buckets.records,
  buckets.idempotency,
] as const

/** All streams of the service; a gateway may read each, because it shows their content to people. */
const readable = [...Object.values(streams), ...Object.values(buckets).map(bucketStream)]

const gatewayInboxes = '_INBOX.*.gateway.>'

/**
 * The permissions of gateways in nats-server's language. They send requests to actors and node
 * agents, write some buckets, and read. They neither create nor change streams, so a gateway waits
 * until an actor host has created them. Reading in order needs a consumer, which can deliver to any
 * subject: SECURITY.md says what a compromised gateway could do with that.
 */
export const gatewayPermissions = {
  publish: {
    allow: [
      ...[subjects.mailboxAll, subjects.placeAll, subjects.adoptAll],
      ...[subjects.verbAll, subjects.viewersAll, subjects.agentAll, subjects.profileSaves],
      // Extensions are written into blobs, each with a ticket.
      ...[subjects.extensionPlaces, subjects.blobAll],
      ...[subjects.notesAll, subjects.readsAll, subjects.serviceAuditAll],
      `$KV.${buckets.hosts}.*.${'gateway' satisfies Role}.*`,
      ...gatewayBuckets.map((bucket) => `$KV.${bucket}.>`),
      ...api(['INFO', 'MSG.GET'], readable),
      ...readable.flatMap((name) => [
        `$JS.API.CONSUMER.CREATE.${name}`,
        `$JS.API.CONSUMER.CREATE.${name}.>`,
        `$JS.API.CONSUMER.INFO.${name}.*`,
        `$JS.API.CONSUMER.DELETE.${name}.*`,
        // Flow control of a consumer.
        `$JS.FC.${name}.>`,
      ]),
      // Answers to other gateways. `allow_responses` would be narrower, but nats-server then notes
      // each message that a consumer delivers, and looks through all notes of a minute for each
      // further one: a gateway needed minutes to read 100,000 views, on a server busy with that.
      gatewayInboxes,
    ],
  },
  subscribe: {
    allow: [
      ...[subjects.viewersAll, subjects.bucketChanges('*'), gatewayInboxes],
      // People follow tasks and the service's audit through gateways.
      ...[subjects.publicTasks, subjects.serviceAuditAll],
    ],
  },
} as const

/** Longer than any verb of a node agent takes. */
const answersWithin = '1h'

/**
 * The permissions of one host's node agent in nats-server's language. It renews its lease, reads
 * the leases of others, serves its own verbs, sends reports, and exchanges blobs. It may not create consumers,
 * because a consumer delivers to any subject, even one that its creator may not publish to.
 */
export function agentPermissions(nodeId: string) {
  const hosts = bucketStream(buckets.hosts)
  return {
    publish: {
      allow: [
        `$KV.${buckets.hosts}.${nodeId}.${'node-agent' satisfies Role}.*`,
        ...api(['INFO', 'MSG.GET'], [hosts]),
        // Each request needs a ticket: for one blob, or for filling a form of one session.
        ...[subjects.agentReports, subjects.blobAll, subjects.loginFills],
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
