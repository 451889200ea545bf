/**
 * `/v1/{area}` and `/v1/{area}/{id}`: the routes of all areas, generated from their definitions.
 */
import { z } from 'zod'
import { areaRules, type AreaAction, type AreaKey } from '../../../proto/access/areas/areas.ts'
import type { AreaDefinition } from '../../../proto/access/areas/define-area.ts'
import { areaDefinitions } from '../../../proto/access/areas/registry.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { etagOf, ifMatch } from '../../routing/answers/conditions.ts'
import type { GrantCall } from '../../routing/auth/access-rule.ts'
import { emptyRoute, jsonRoute, type Route } from '../../routing/route.ts'
import type { HttpRequest } from '../../server/http.ts'
import { granting, type AuthorizeCall, type GrantedAccess } from '../gate/access.ts'
import type { RecordAnswer, Records } from './records.ts'
import {
  listParameters,
  newRecordBody,
  recordAnswer,
  recordHistoryAnswer,
  recordListAnswer,
  recordPatchBody,
} from './record-schemas.ts'

export interface RecordRouteDeps {
  readonly records: Records
  readonly authorize: AuthorizeCall
  /** Called when records were shown, to keep who read what. */
  readonly onRead: (access: GrantedAccess, area: AreaKey, ids: readonly string[]) => void
}

const withId = z.object({ id: z.string() })
const etagHeaders = ({ data }: RecordAnswer) => ({ etag: etagOf(data.version) })

export function recordRoutes(deps: RecordRouteDeps): readonly Route[] {
  const ofAreas = Object.values(areaDefinitions).flatMap((area) => [
    ...readRoutes(area, deps),
    ...writeRoutes(area, deps),
  ])
  return [pipelinesRoute(deps), ...ofAreas]
}

const pipelinesAnswer = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      stages: z.array(
        z.object({
          id: z.string(),
          counts: z.record(z.string(), z.int()).describe('Number of opportunities by status.'),
        }),
      ),
    }),
  ),
})

/** Pipelines are not stored; they are computed from the opportunities that the caller may see. */
const pipelinesRoute = ({ records, authorize }: RecordRouteDeps): Route =>
  jsonRoute({
    method: 'GET',
    path: '/v1/opportunities/pipelines',
    summary:
      'Opportunities: list the pipelines and their stages, with the number of opportunities in ' +
      'each.',
    description: 'Computed from the opportunities that this access includes.',
    auth: 'access',
    access: granting(authorize, 'opportunities', 'read'),
    response: pipelinesAnswer,
    async handler({ granted }) {
      const pipelines = await records.pipelines(granted)
      return { data: structuredClone(pipelines) as z.output<typeof pipelinesAnswer>['data'] }
    },
  })

function readRoutes(
  area: AreaDefinition,
  { records, authorize, onRead }: RecordRouteDeps,
): Route[] {
  const { key, label } = area
  const shared = {
    method: 'GET',
    auth: 'access',
    access: granting(authorize, key, 'read'),
  } as const
  return [
    jsonRoute({
      ...shared,
      path: `/v1/${key}`,
      summary: `${label}: list the records that this access includes, newest first by default.`,
      description:
        'Filters, sort order and fields depend on the area. Records that this access does not ' +
        'include are neither shown nor counted.',
      query: listParameters(area),
      response: recordListAnswer(area),
      async handler(call) {
        const page = await records.list(call.granted, key, queryOf(call))
        onRead(
          call.granted,
          key,
          page.data.flatMap(({ id }) => (typeof id === 'string' ? [id] : [])),
        )
        return page
      },
      headers: ({ page }, { request }) => nextLink(request, page.next_cursor),
    }),
    jsonRoute({
      ...shared,
      path: `/v1/${key}/{id}`,
      summary: `${label}: get a record.`,
      description: 'A record that this access does not include is answered as if it did not exist.',
      params: withId,
      response: recordAnswer(area),
      hasEtag: true,
      async handler({ granted, params }) {
        const found = await records.get(granted, key, params.id)
        onRead(granted, key, [found.data.id])
        return found
      },
      headers: etagHeaders,
    }),
    ...(key === 'reports' ? [] : [historyRoute(area, { records, authorize, onRead })]),
  ]
}

/** Not for reports, since the contents of drafts must not be readable after publication. */
const historyRoute = (
  { key, label }: AreaDefinition,
  { records, authorize, onRead }: RecordRouteDeps,
): Route =>
  jsonRoute({
    method: 'GET',
    path: `/v1/${key}/{id}/history`,
    summary: `${label}: list the last ${limits.recordHistory} versions of a record, newest first.`,
    description: 'Each with who changed the record, when, and which fields.',
    auth: 'access',
    access: granting(authorize, key, 'read'),
    params: withId,
    response: recordHistoryAnswer,
    async handler({ granted, params }) {
      const versions = await records.history(granted, key, params.id)
      onRead(granted, key, [params.id])
      return { data: structuredClone(versions) as z.output<typeof recordHistoryAnswer>['data'] }
    },
  })

/**
 * For technical areas, these routes answer how records are changed instead. Job areas have none.
 */
function writeRoutes(area: AreaDefinition, deps: RecordRouteDeps): Route[] {
  const isDirect = area.operations.length > 0
  if (isDirect) return changeRoutes(area, deps, { write: 'write', remove: 'delete', note: '' })
  if (areaRules[area.key].sensitivity !== 'technical') return []
  const note = ' Always refused: propose a managed change instead.'
  return changeRoutes(area, deps, { write: 'read', remove: 'read', note })
}

interface WriteRules {
  /** The actions that a caller needs, both for the route and for its refusal. */
  readonly write: AreaAction
  readonly remove: AreaAction
  readonly note: string
}

function changeRoutes(
  area: AreaDefinition,
  { records, authorize }: RecordRouteDeps,
  { write, remove, note }: WriteRules,
): Route[] {
  const { key, label } = area
  const shared = { auth: 'access', access: granting(authorize, key, write) } as const
  const answers = { response: recordAnswer(area), hasEtag: true } as const
  const one = { path: `/v1/${key}/{id}`, params: withId, needsIfMatch: true } as const
  return [
    jsonRoute({
      ...shared,
      ...answers,
      method: 'POST',
      path: `/v1/${key}`,
      summary: `${label}: create a record.${note}`,
      description: 'A field that this access may not write is refused, and the error names it.',
      status: 201,
      makes: true,
      body: newRecordBody(area),
      handler: ({ granted, body }) => records.create(granted, key, body),
      headers: (answer) => ({ ...etagHeaders(answer), location: `/v1/${key}/${answer.data.id}` }),
    }),
    jsonRoute({
      ...shared,
      ...answers,
      ...one,
      method: 'PATCH',
      summary: `${label}: update a record with a merge patch.${note}`,
      description: '`null` removes a field; fields that you leave out stay unchanged.',
      body: recordPatchBody(area),
      handler: ({ granted, request, params, body }) =>
        records.patch(granted, key, params.id, () => ifMatch(request), body),
      headers: etagHeaders,
    }),
    emptyRoute({
      ...shared,
      ...one,
      method: 'DELETE',
      summary: `${label}: delete a record.${note}`,
      description: 'This cannot be undone. The audit records the deletion, and who did it.',
      access: granting(authorize, key, remove),
      handler: ({ granted, request, params }) =>
        records.remove(granted, key, params.id, () => ifMatch(request)),
    }),
  ]
}

/** The query without `client_id`, by which staff name the client. */
function queryOf({
  caller,
  request: { query },
}: Pick<GrantCall, 'caller' | 'request'>): URLSearchParams {
  if (caller.kind !== 'person') return query
  const own = new URLSearchParams(query)
  own.delete('client_id')
  return own
}

export function nextLink(
  { path, query }: HttpRequest,
  cursor: string | null,
): Record<string, string> {
  if (cursor === null) return {}
  const next = new URLSearchParams(query)
  next.set('cursor', cursor)
  return { link: `<${path}?${next}>; rel="next"` }
}
