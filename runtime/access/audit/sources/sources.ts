/**
 * The sources of the audit. A source is read in order from a position; each of its messages is
 * either recorded or routine.
 */
import { defined } from '../../../../proto/defined.ts'
import { z } from 'zod'
import type { AuditFacts, AuditOrigin } from '../../../../proto/access/audit/audit.ts'
import { systemAuthor, type Author } from '../../../../proto/access/author.ts'
import { isAccessId, platformTenant } from '../../../../proto/access/ids.ts'
import type { AccessNote, NoteAction } from '../../../../proto/access/audit/note.ts'
import { decode } from '../../../../proto/codec.ts'
import { streams, subjects } from '../../../../proto/subjects.ts'
import { bucketStream } from '../../../store/nats/stream-plan.ts'
import type { LogRecord, LogStore } from '../../../store/store.ts'
import { factsOfLog } from './from-log.ts'
import { auditTable } from './table.ts'

export interface AuditSource {
  /** Its name in the positions of entries; it never changes. */
  readonly name: string
  readonly stream: string
  /** The subject on which its messages are published. */
  readonly subject: string
  readonly log: Pick<LogStore, 'read'>
  /** Throws if the message cannot be read. */
  parse(record: LogRecord): SourceMessage
}

export interface SourceMessage {
  readonly client: string
  /** When it happened, in wall-clock ms. */
  readonly at: number
  readonly src: AuditOrigin
  /** The actor whose log it belongs to, and its number in that log. */
  readonly actor?: { readonly kind: string; readonly id: string; readonly n: number }
  /** Undefined if the message is routine. */
  readonly facts: AuditFacts | undefined
}

/**
 * The logs of all access kinds. Each kind is its own source, because their orders are independent.
 */
export function logSources(log: Pick<LogStore, 'read'>): readonly AuditSource[] {
  return Object.keys(auditTable).map((kind) => ({
    name: kind,
    stream: streams.log,
    subject: subjects.logsOf(kind),
    log,
    parse({ data, seq }) {
      const { actor, client, at, facts } = factsOfLog(data)
      const src = { stream: streams.log, seq, n: actor.n }
      return { client: clientOfSubject(client), at, src, actor: { kind, ...actor }, facts }
    },
  }))
}

export function noteSource(log: Pick<LogStore, 'read'>): AuditSource {
  return {
    name: 'notes',
    stream: streams.notes,
    subject: subjects.notesAll,
    log,
    parse({ data, seq }) {
      const note = decode<AccessNote>(data)
      const facts = factsOfNote(note)
      const src = { stream: streams.notes, seq }
      return { client: facts.client, at: note.atMs, src, facts }
    },
  }
}

const owaspOfNote: Readonly<Record<NoteAction, string | undefined>> = {
  authentication_failed: 'authn_login_fail',
  authorization_denied: 'authz_fail',
  token_in_url: 'authn_token_reuse',
  cross_client_attempt: 'malicious_direct_reference',
  rate_limited: 'excess_rate_limit_exceeded',
  secret_shown: 'sensitive_read',
  audit_exported: 'sensitive_read',
  sign_in_failed: 'authn_login_fail',
}

function factsOfNote(note: AccessNote): AuditFacts {
  const { action, outcome, atMs, tenant, by = unknownCaller, requestId, route, reason } = note
  const owasp = owaspOfNote[action]
  return {
    client: clientOfSubject(tenant),
    at: atMs,
    actor: actorOf(by),
    action: `access.${action}`,
    ...defined({ owasp }),
    object: note.object ?? { kind: 'route', id: route ?? '' },
    outcome,
    ...defined({ reason, grantId: note.grantId, needId: note.needId, tokenId: note.tokenId }),
    requestId,
    ...defined({ route, net: note.net, count: note.count }),
  }
}

/** A record's last change and the names of its fields, never their values. */
const recordValue = z.looseObject({
  version: z.number().optional(),
  _m: z.looseObject({
    at: z.number(),
    by: z.looseObject({
      kind: z.enum(['staff', 'member', 'integration', 'system']),
      id: z.string(),
    }),
    action: z.string(),
    requestId: z.string().optional(),
    grantId: z.string().optional(),
    needId: z.string().optional(),
    tokenId: z.string().optional(),
    changeId: z.string().optional(),
    changed: z.array(z.string()).optional(),
  }),
})

/** Changes of records: messages `$KV.<bucket>.<client>.<area>.<id>`. */
export function recordSource(log: Pick<LogStore, 'read'>, bucket: string): AuditSource {
  const stream = bucketStream(bucket)
  return {
    name: 'records',
    stream,
    subject: `$KV.${bucket}.>`,
    log,
    parse({ subject, data, seq, atMs = 0 }) {
      const [, , client = '', area = '', id = ''] = subject.split('.')
      const src = { stream, seq }
      const object = { kind: area, id }
      const owner = clientOfSubject(client)
      if (data.byteLength === 0)
        return { client: owner, at: atMs, src, facts: erasureFacts(owner, object, atMs) }
      const { version, _m: made } = recordValue.parse(decode(data))
      const { at, by, action, requestId, grantId, needId, tokenId, changeId, changed } = made
      const facts: AuditFacts = {
        client: owner,
        at,
        actor: { kind: by.kind, id: by.id },
        action: `record.${action}`,
        object: { ...object, ...defined({ version }) },
        outcome: 'success',
        ...defined({ grantId, needId, tokenId, changeId, requestId }),
        ...(changed && { changedFields: [...changed].sort() }),
      }
      return { client: owner, at, src, facts }
    },
  }
}

/**
 * The value was erased, and its author with it: by retention, or from outside the service.
 */
const erasureFacts = (client: string, object: AuditFacts['object'], at: number): AuditFacts => ({
  client,
  at,
  actor: actorOf(systemAuthor('store')),
  action: 'record.erased',
  object,
  outcome: 'success',
})

const unknownCaller: Author = systemAuthor('unknown-caller')

const actorOf = ({ kind, id, roles }: Author): AuditFacts['actor'] => ({
  kind,
  id,
  ...(roles && { roles }),
})

/** Only well-formed ids become part of a subject. */
export const clientOfSubject = (tenant: string): string =>
  isAccessId('client', tenant) ? tenant : platformTenant
