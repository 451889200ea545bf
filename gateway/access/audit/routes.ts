/**
 * Routes of the audit. Staff auditors and admins see all of it, owners that of their client, and
 * other staff only their own actions.
 */
import { defined } from '../../../proto/defined.ts'
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { AuditCheckpoint, AuditEntry } from '../../../proto/access/audit/audit.ts'
import { hasRole } from '../../../proto/access/author.ts'
import { accessId, platformTenant } from '../../../proto/access/ids.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { timeText } from '../../../proto/access/common.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { subjects } from '../../../proto/subjects.ts'
import { checkpointsDueMs } from '../../../runtime/access/audit/chain/checkpoints-due.ts'
import { readCheckpoints } from '../../../runtime/access/audit/chain/checkpoints.ts'
import type { GatewayAudit } from '../../../runtime/access/audit/open.ts'
import { AuditReader } from '../../../runtime/access/audit/reader.ts'
import { verifyChain } from '../../../runtime/access/audit/chain/verify.ts'
import { jsonRoute, rawRoute, type Route } from '../../routing/route.ts'
import { AuditExports, exportFormats } from './audit-exports.ts'
import { personWith, type AccessCaller } from '../../routing/auth/access-caller.ts'
import {
  auditEntryData,
  auditEntryJson,
  checkpointData,
  checkpointJson,
  clientIdField,
  verdictJson,
} from './json.ts'
import { dataJson, pageJson } from '../../routing/schemas/access-json.ts'
import type { AccessNotes } from '../gate/notes.ts'
import { onlyRoles } from '../../routing/auth/access-rule.ts'
import { ofId } from '../governance/entity-routes.ts'

export type AuditRouteDeps = Pick<GatewayAudit, 'store' | 'signer'>
type Notes = Pick<AccessNotes, 'auditExported'>

const readers = onlyRoles('admin', 'reviewer', 'operator', 'change_manager', 'auditor', 'owner')
/** Those who may read whole chains. */
const keepers = onlyRoles('admin', 'auditor', 'owner')

const clientQuery = {
  client_id: z.union([accessId('client'), z.literal(platformTenant)]).optional(),
}
/** The filters of a search. */
const filters = {
  ...clientQuery,
  actor: z.string().max(limits.nameChars).optional(),
  action: z.string().max(limits.nameChars).optional(),
  object: z.string().max(limits.nameChars).optional(),
  since: timeText.optional(),
}
const listQuery = z.strictObject({
  ...filters,
  limit: z.coerce.number().int().min(1).max(limits.listRowsMost).default(limits.listRows),
  cursor: z.string().optional(),
})
const exportQuery = z.strictObject({ ...filters, format: z.enum(exportFormats).default('ndjson') })
type ListQuery = z.output<z.ZodObject<typeof filters>>

/** The part of the audit that a caller may see. */
interface VisibleAudit {
  /** The chain of this client; undefined: all chains. */
  readonly client: string | undefined
  /** Only entries of this person. */
  readonly actor?: string
}

/** Throws `not_found` for another client, as for one that does not exist. */
function visibleAuditOf(caller: AccessCaller, asked: string | undefined): VisibleAudit {
  const { person } = personWith(caller)
  if (person.kind === 'member') {
    if (asked === undefined || asked === person.tenant) return { client: person.tenant }
    throw new ServiceError('not_found', 'There is no client with this id.')
  }
  if (hasRole(person, 'admin', 'auditor')) return { client: asked }
  return { client: asked, actor: person.id }
}

const isSeen = ({ client, actor }: VisibleAudit, entry: AuditEntry): boolean =>
  (client === undefined || entry.client === client) &&
  (actor === undefined || entry.actor.id === actor)

export function auditRoutes({ store, signer }: AuditRouteDeps, notes: Notes): readonly Route[] {
  const reader = new AuditReader(store.audit)
  return [
    listRoute(reader),
    jsonRoute({
      method: 'GET',
      path: '/v1/audit-entries/{id}',
      summary: 'Get an audit entry.',
      description: 'Includes its place in the chain and its hash.',
      auth: 'access',
      access: readers,
      params: ofId,
      response: dataJson(auditEntryJson),
      async handler({ caller, params }) {
        const entry = await reader.get(params.id)
        if (!entry || !isSeen(visibleAuditOf(caller, undefined), entry)) {
          throw new ServiceError('not_found', 'There is no audit entry with this id.')
        }
        return { data: auditEntryData(entry) }
      },
    }),
    exportRoute({ store, signer }, notes),
    verifyRoute(reader, { store, signer }),
    checkpointRoute(store),
  ]
}

function listRoute(reader: AuditReader): Route {
  return jsonRoute({
    method: 'GET',
    path: '/v1/audit-entries',
    summary: 'List audit entries, newest first.',
    description: 'Can be filtered by actor, action, object, client and time.',
    auth: 'access',
    access: readers,
    query: listQuery,
    response: pageJson(auditEntryJson),
    async handler({ caller, query }) {
      const visible = visibleAuditOf(caller, query.client_id)
      const mark = markOf(visible, query)
      const fromSeq = placeIn(query.cursor, mark)
      const page = await reader.list({
        client: visible.client,
        matches: (entry) => isSeen(visible, entry) && isAskedFor(query, entry),
        sinceMs: query.since ?? 0,
        ...defined({ fromSeq }),
        rows: query.limit,
      })
      if (!page) throw badCursorError()
      const { entries, nextSeq } = page
      return {
        data: entries.map(auditEntryData),
        page: {
          has_more: nextSeq !== undefined,
          next_cursor: nextSeq === undefined ? null : `${nextSeq}.${mark}`,
        },
      }
    },
  })
}

/** With the same rights as the list; oldest first, in the order of the chains. */
function exportRoute(deps: AuditRouteDeps, notes: Notes): Route {
  const exports = new AuditExports(deps)
  return rawRoute({
    method: 'GET',
    path: '/v1/audit-entries/export',
    summary: 'Export all matching entries, oldest first, as NDJSON or CSV.',
    description:
      'A stream, for a copy elsewhere. NDJSON ends with the last checkpoint of each ' +
      'chain and a signed line about all lines before it: `troupe audit verify --export FILE` ' +
      'then finds what was removed, moved or changed.',
    auth: 'access',
    access: readers,
    query: exportQuery,
    contentType: ['application/x-ndjson', 'text/csv'],
    handler({ caller, query }) {
      const visible = visibleAuditOf(caller, query.client_id)
      const { client } = visible
      const matches = (entry: AuditEntry) => isSeen(visible, entry) && isAskedFor(query, entry)
      const filters = [visible.actor, query.actor, query.action, query.object, query.since]
      const isFiltered = filters.some((one) => one !== undefined)
      const reply = exports.open({ client, matches, isFiltered, format: query.format })
      notes.auditExported(caller, client ?? platformTenant)
      return reply
    },
  })
}

function isAskedFor({ actor, action, object, since }: ListQuery, entry: AuditEntry): boolean {
  return (
    (actor === undefined || entry.actor.id === actor) &&
    (action === undefined || entry.action === action) &&
    (object === undefined || entry.object.id === object) &&
    (since === undefined || entry.at >= since)
  )
}

/** A cursor is valid only for the query that it came from. */
function markOf(visible: VisibleAudit, { actor, action, object, since }: ListQuery): string {
  const question = JSON.stringify([visible.client, visible.actor, actor, action, object, since])
  return createHash('sha256').update(question).digest('base64url').slice(0, 12)
}

function placeIn(cursor: string | undefined, mark: string): number | undefined {
  if (cursor === undefined) return undefined
  const [, seq, found] = /^([1-9]\d{0,14})\.([\w-]{12})$/.exec(cursor) ?? []
  if (seq === undefined || found !== mark) throw badCursorError()
  return Number(seq)
}

const badCursorError = () =>
  new ServiceError('invalid_cursor', 'This cursor does not belong to this list; leave it out.')

function verifyRoute(reader: AuditReader, { store, signer }: AuditRouteDeps): Route {
  return jsonRoute({
    method: 'GET',
    path: '/v1/audit-entries/verify',
    summary: 'Verify the audit chain of one client.',
    description: 'Recomputes the hashes and compares the signed checkpoints.',
    auth: 'access',
    access: keepers,
    query: z.strictObject({ ...clientQuery, from: z.coerce.number().int().min(1).default(1) }),
    response: dataJson(verdictJson),
    async handler({ caller, query: { client_id: asked, from } }) {
      const client = visibleAuditOf(caller, asked).client ?? platformTenant
      const before = from > 1 ? await reader.find(client, from - 1) : undefined
      if (from > 1 && !before)
        throw new ServiceError('not_found', `There is no entry ${from - 1} in this chain.`)
      const most = limits.auditVerifiedAtOnce
      const verdict = await verifyChain({
        client,
        entries: store.audit.read(subjects.audit(client), (before?.seq ?? 0) + 1),
        checkpoints: await checkpointsOf(store, client),
        signer,
        checkpointsDueMs: await checkpointsDueMs(store, client, signer),
        ...(before && { after: before.entry }),
        most,
      })
      const { n: to, entries, firstBad, checkpoints } = verdict
      return {
        data: {
          ...clientIdField(client),
          ok: firstBad === undefined,
          from,
          to,
          complete: firstBad !== undefined || entries < most,
          ...(firstBad && { first_bad: firstBad }),
          checkpoints: { matched: checkpoints.matched, unknown_key: checkpoints.unknownKey },
        },
      }
    },
  })
}

function checkpointRoute(store: AuditRouteDeps['store']): Route {
  return jsonRoute({
    method: 'GET',
    path: '/v1/audit-checkpoints',
    summary: 'List the latest signed checkpoints of one client’s chain; store a copy elsewhere.',
    description: 'With a checkpoint, anyone can prove later that no entry before it was rewritten.',
    auth: 'access',
    access: keepers,
    query: z.strictObject(clientQuery),
    response: z.object({ data: z.array(checkpointJson) }),
    async handler({ caller, query }) {
      const client = visibleAuditOf(caller, query.client_id).client ?? platformTenant
      const all = await checkpointsOf(store, client)
      return { data: all.slice(-limits.listRowsMost).reverse().map(checkpointData) }
    },
  })
}

async function checkpointsOf(
  { checkpoints }: AuditRouteDeps['store'],
  client: string,
): Promise<readonly AuditCheckpoint[]> {
  const found: AuditCheckpoint[] = []
  for await (const one of readCheckpoints(checkpoints, client)) found.push(one)
  return found
}
