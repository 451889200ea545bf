/**
 * Routes common to all governed entities: a list with a cursor, one entity by id with its version
 * as ETag, and its verbs, which need the version in If-Match.
 */
import { z } from 'zod'
import type { AnyActorProtocol, MessageTo, VerbName } from '../../../proto/actor.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import type { ByAuthor } from '../../../proto/access/author.ts'
import { isAccessId } from '../../../proto/access/ids.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { etagOf, ifMatch } from '../../routing/answers/conditions.ts'
import { jsonRoute, type Method, type Route } from '../../routing/route.ts'
import type { HttpRequest } from '../../server/http.ts'
import { callerTenantOf, type AccessCaller } from '../../routing/auth/access-caller.ts'
import type { AccessChain, AccessKind, AccessViews } from '../gate/chain.ts'
import { unknownEntity, type Governance } from './governance.ts'
import { dataJson, pageJson } from '../../routing/schemas/access-json.ts'
import type { AccessRule } from '../../routing/auth/access-rule.ts'

export interface EntityDeps {
  readonly governance: Governance
  readonly chain: AccessChain
}

export interface EntityForm<K extends AccessKind, R> {
  readonly actor: AnyActorProtocol & { readonly kind: K }
  /** For example `/v1/needs`. */
  readonly path: string
  /** For example `needs`, used in summaries. */
  readonly noun: string
  readonly json: z.ZodType<R>
  readonly data: (view: AccessViews[K], caller: AccessCaller) => R
  /** Who may read. */
  readonly read: AccessRule
  /** Throws for callers that must be refused for other reasons than their role. */
  readonly admits?: (caller: AccessCaller) => void
  /** Filters of the list in addition to client and status. */
  readonly filters?: Filters<AccessViews[K]>
  /** Which of the readable entities the list shows; absent: all. */
  readonly shows?: (view: AccessViews[K], caller: AccessCaller) => boolean
}

export const ofId = z.object({ id: z.string() })

export interface EntityFilter<V> {
  readonly values: z.ZodType<string>
  readonly of: (view: V) => string | undefined
}

type Filters<V> = Readonly<Record<string, EntityFilter<V>>>

const listQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(limits.listRowsMost).default(limits.listRows),
  cursor: z.string().optional(),
  status: z.string().optional(),
  client_id: z.string().optional(),
})

/** Adds their parameters to the ones that every list has. */
const withFilters = <V>(filters: Filters<V>) => {
  const values = Object.entries(filters).map(
    ([name, one]) => [name, one.values.optional()] as const,
  )
  return listQuery.extend(Object.fromEntries(values)) as unknown as typeof listQuery
}

function fits<V>(view: V, filters: Filters<V>, asked: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(filters).every(
    ([name, { of }]) => asked[name] === undefined || asked[name] === of(view),
  )
}

const versionHeaders = (answer: { readonly data: unknown }) => {
  const { version } = answer.data as { readonly version: number }
  return { etag: etagOf(version) }
}

export function entityRoutes<K extends AccessKind, R>(
  { governance, chain }: EntityDeps,
  form: EntityForm<K, R>,
): readonly Route[] {
  const { actor, path, noun, json, data, read, shows = showsAll, filters = {} } = form
  return [
    jsonRoute({
      method: 'GET',
      path,
      summary: `List ${noun}, newest first.`,
      description: 'Lists those that you may see. Members see those of their own client.',
      auth: 'access',
      access: read,
      query: withFilters(filters),
      response: pageJson(json),
      handler({ caller, query: { limit, cursor, status, client_id: clientId, ...asked } }) {
        form.admits?.(caller)
        const own = callerTenantOf(caller)
        const isKnown = clientId === undefined || chain.get('client', clientId) !== undefined
        // Members get an empty list for all clients but their own, known or not.
        if (own === undefined && !isKnown) throw unknownEntity('client')
        const found = chain
          .list(actor.kind, own ?? clientId)
          .filter(({ tenant }) => clientId === undefined || tenant === clientId)
          .filter((view) => shows(view, caller))
          .filter((view) => status === undefined || statusOf(view) === status)
          .filter((view) => fits(view, filters, asked))
          .reverse()
        const row = (view: AccessViews[K]) => data(view, caller)
        return entityPageOf(found, { limit, cursor, kind: actor.kind }, row)
      },
    }),
    jsonRoute({
      method: 'GET',
      path: `${path}/{id}`,
      summary: `Get one of the ${noun}.`,
      description: 'The current state. Its version is the `ETag`.',
      auth: 'access',
      access: read,
      hasEtag: true,
      params: ofId,
      response: dataJson(json),
      headers: versionHeaders,
      async handler({ caller, params }) {
        return { data: data(await shownTo(governance, form, caller, params.id), caller) }
      },
    }),
  ]
}

const showsAll = (): boolean => true

/** An entity that the list hides is answered as unknown. */
export async function shownTo<K extends AccessKind, R>(
  governance: Governance,
  { actor, shows = showsAll, admits }: EntityForm<K, R>,
  caller: AccessCaller,
  id: string,
): Promise<AccessViews[K]> {
  admits?.(caller)
  const view = await governance.get(actor, caller, id)
  if (shows(view, caller)) return view
  throw unknownEntity(actor.kind)
}

const statusOf = (view: object) => ('status' in view ? view.status : undefined)

interface Place {
  readonly limit: number
  readonly cursor: string | undefined
  readonly kind: AccessKind
}

/**
 * The cursor is the id of the last row; it needs no protection, since it only selects from what the
 * caller may see.
 */
export function entityPageOf<V extends { readonly id: string }, R>(
  newestFirst: readonly V[],
  { limit, cursor, kind }: Place,
  data: (view: V) => R,
) {
  if (cursor !== undefined && !isAccessId(kind, cursor)) {
    throw new ServiceError(
      'invalid_cursor',
      'This cursor does not belong to this list; leave it out.',
    )
  }
  const rest = cursor === undefined ? newestFirst : newestFirst.filter(({ id }) => id < cursor)
  const rows = rest.slice(0, limit)
  const more = rest.length > rows.length
  return {
    data: rows.map(data),
    page: { has_more: more, next_cursor: more ? rows.at(-1)!.id : null },
  }
}

/** The author, and the version in If-Match. Only staff may use `*` for any version. */
export function byAuthor(
  governance: Governance,
  caller: AccessCaller,
  request: HttpRequest,
): ByAuthor {
  const by = governance.authorOf(caller)
  const version = ifMatch(request)
  if (version !== '*') return { by, ifVersion: version }
  if (by.kind === 'staff') return { by }
  throw new ServiceError(
    'precondition_failed',
    'Send the version in If-Match; only staff may send *.',
  )
}

/** Headers of a creation: ETag and location. */
export const madeHeaders =
  (path: string) =>
  (answer: { readonly data: { readonly id: string; readonly version: number } }) => ({
    ...versionHeaders(answer),
    location: `${path}/${answer.data.id}`,
  })

interface VerbSpec<K extends AccessKind, P extends AnyActorProtocol, N extends VerbName<P>, B> {
  /**
   * The part after the entity's path: `close` makes `POST /v1/needs/{id}/close`; empty for the
   * entity itself.
   */
  readonly suffix: string
  readonly method?: Method
  readonly summary: string
  readonly description: string
  readonly access: AccessRule
  readonly body?: z.ZodType<B>
  /** The answer waits until the entity is settled. */
  readonly untilSettled?: true
  /** Throws if the body is not allowed for this entity. */
  check?(view: AccessViews[K], body: B, caller: AccessCaller): Promise<void> | void
  message(body: B, by: ByAuthor, view: AccessViews[K], caller: AccessCaller): MessageTo<P, N>
  /** Sends the message, for example while it holds a lock; absent: at once. */
  around?(
    asked: { readonly view: AccessViews[K]; readonly body: B; readonly caller: AccessCaller },
    send: () => Promise<AccessViews[K]>,
  ): Promise<AccessViews[K]>
}

/**
 * A route for one verb. An entity of another client is answered with 404 before anything else is
 * checked.
 */
export function verbRoute<
  K extends AccessKind,
  P extends AnyActorProtocol & { readonly kind: K },
  N extends VerbName<P>,
  R,
  B,
>(
  { governance }: EntityDeps,
  form: EntityForm<K, R> & { readonly actor: P },
  spec: VerbSpec<K, P, N, B>,
): Route {
  const { suffix, method = 'POST', summary, description, access, body, untilSettled } = spec
  return jsonRoute({
    method,
    path: suffix === '' ? `${form.path}/{id}` : `${form.path}/{id}/${suffix}`,
    summary,
    description,
    auth: 'access',
    access,
    needsIfMatch: true,
    params: ofId,
    ...(body && { body }),
    response: dataJson(form.json),
    headers: versionHeaders,
    async handler({ caller, params, body: given, request }) {
      const view = await shownTo(governance, form, caller, params.id)
      await spec.check?.(view, given, caller)
      const message = spec.message(given, byAuthor(governance, caller, request), view, caller)
      const options = untilSettled ? { untilSettled } : {}
      const send = () => governance.tell<P, N>(form.actor, caller, params.id, message, options)
      const asked = { view, body: given, caller }
      const reply = await (spec.around ? spec.around(asked, send) : send())
      return { data: form.data(reply, caller) }
    },
  })
}
