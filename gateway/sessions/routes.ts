import { z } from 'zod'
import { commandLimits } from '../../proto/commands/limits.ts'
import { sessionKey } from '../../proto/accounts/key.ts'
import {
  hasBrowser,
  sessionCreateBody,
  tagList,
  type SessionView,
} from '../../proto/session/session.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import type { ServiceSecret } from '../../runtime/accounts/keys/service-secret.ts'
import type { ServiceUrls } from '../routing/service-urls.ts'
import type { HttpRequest } from '../server/http.ts'
import { toIsoTime } from '../routing/answers/iso-time.ts'
import type { LiveLinks } from './tokens/links.ts'
import { jsonRoute, type Route } from '../routing/route.ts'
import {
  createdJson,
  deadlinesOf,
  extendedJson,
  pagesJson,
  sessionData,
  sessionJson,
  sessionListJson,
  sessionRow,
  statusListJson,
  statusRow,
  successJson,
  tagsJson,
} from './session-json.ts'
import { listQuery, pageOfSessions, statusQuery } from './session-list.ts'
import type { SessionService } from './sessions.ts'
import { taskTallyOf, type TallyOf, type TasksOf } from './task-tally.ts'
import type { SessionViews } from './session-views.ts'
import { gatewaySessionLimits } from './limits.ts'

export interface SessionRouteDeps {
  readonly sessions: SessionService
  readonly views: SessionViews
  readonly tasksBySession: TasksOf
  readonly addresses: ServiceUrls
  readonly links: LiveLinks
  readonly serviceSecret: ServiceSecret
  readonly clock: Clock
}

const ofSession = z.object({ session_id: z.string() })
const success = { data: { status: 'success' as const } }

export function sessionRoutes(deps: SessionRouteDeps): readonly Route[] {
  const routes = [listRoutes, allRoutes, oneRoutes, extendRoutes, tagRoutes]
  return routes.flatMap((of) => of(deps))
}

function talliesOf({ tasksBySession }: SessionRouteDeps): TallyOf {
  return (sessionId) => taskTallyOf(tasksBySession.of(sessionId))
}

function listRoutes(deps: SessionRouteDeps) {
  const { sessions, views, clock } = deps
  const tallyOf = talliesOf(deps)
  return [
    jsonRoute({
      method: 'POST',
      path: '/v1/sessions',
      audit: 'session.create',
      about: ({ data }) => ({ session_id: data.id }),
      summary: 'Create a session with a warm browser.',
      description:
        'Answers when the browser is ready, usually within milliseconds, with the URLs to ' +
        'control and to watch it. All options are optional. If you disconnect before the ' +
        'answer, the session ends.',
      auth: 'key',
      scope: 'sessions',
      makes: true,
      body: sessionCreateBody,
      bodyBytes: commandLimits.commandBodyBytes,
      example: {
        body: {
          session: { tags: ['checkout'], timeout: { max_duration: 30, idle_timeout: 5 } },
          browser: { headless: { active: true }, locale: 'de-AT', timezone: 'Europe/Vienna' },
        },
      },
      response: createdJson,
      async handler({ caller, body, request, attempt }) {
        const view = await sessions.create(caller, body, request.gone, attempt)
        const at = urlsOf(deps, request, view, caller.keyId)
        const created_at = toIsoTime(view.createdAtMs)
        return {
          data: { id: view.id, ...at, status: view.status, created_at, ...deadlinesOf(view) },
        }
      },
    }),
    jsonRoute({
      method: 'GET',
      path: '/v1/sessions',
      summary: 'List sessions, including ended ones that are still kept.',
      description:
        'Returns a page of your sessions, filtered by status, tags, times and more. Ended ' +
        'sessions are kept for 7 days by default.',
      auth: 'key',
      scope: 'any',
      query: listQuery,
      response: sessionListJson,
      handler({ caller, query }) {
        const { rows, counts } = pageOfSessions(views, caller.tenant, query, tallyOf)
        const now = clock.now()
        return {
          data: {
            sessions: rows.map((view) => sessionRow(view, tallyOf(view.id), now)),
            ...counts,
          },
        }
      },
    }),
  ]
}

function allRoutes(deps: SessionRouteDeps) {
  const { sessions, views } = deps
  const tallyOf = talliesOf(deps)
  return [
    jsonRoute({
      method: 'DELETE',
      path: '/v1/sessions/all',
      audit: 'session.end_all',
      summary: 'End all live sessions.',
      description: 'Ends all sessions of your tenant, including those created with its other keys.',
      auth: 'key',
      scope: 'sessions',
      response: successJson,
      async handler({ caller }) {
        await sessions.endAll(caller)
        return success
      },
    }),
    jsonRoute({
      method: 'GET',
      path: '/v1/sessions/all/status',
      summary: 'List the status of all sessions that are kept.',
      description:
        'A short form of the list, oldest first: id, status, creation time and tags. `count` is ' +
        'the number of matching sessions; `items` has at most the newest 1000.',
      auth: 'key',
      scope: 'any',
      query: statusQuery,
      response: statusListJson,
      handler({ caller, query }) {
        const { rows, counts } = pageOfSessions(
          views,
          caller.tenant,
          { ...query, page: 1, limit: gatewaySessionLimits.statusRows, sort_order: 'desc' },
          tallyOf,
        )
        return { data: { count: counts.total, items: rows.toReversed().map(statusRow) } }
      },
    }),
  ]
}

function oneRoutes(deps: SessionRouteDeps) {
  const { sessions, links, clock } = deps
  const tallyOf = talliesOf(deps)
  return [
    jsonRoute({
      method: 'GET',
      path: '/v1/sessions/{session_id}',
      summary: 'Get a session, with its deadlines and, once it has ended, the reason.',
      description:
        'Returns the current state, read from the session itself. An ended session has a ' +
        '`reason`.',
      auth: 'key',
      scope: 'any',
      params: ofSession,
      response: sessionJson,
      async handler({ caller, params, request }) {
        const view = await sessions.get(caller, params.session_id)
        const { cdp_url, live_view_url } = urlsOf(deps, request, view, caller.keyId)
        const urls = hasBrowser(view.status) ? { cdp_url, live_view_url } : { live_view_url }
        return { data: sessionData(view, urls, tallyOf(view.id), clock.now()) }
      },
    }),
    jsonRoute({
      method: 'DELETE',
      path: '/v1/sessions/{session_id}',
      audit: 'session.end',
      summary: 'End a session. Succeeds even if it has already ended.',
      description:
        'Closes its connections with the reason `deleted` and removes its files. If it was created to ' +
        'save a profile, this answers once that is done.',
      auth: 'key',
      scope: 'sessions',
      params: ofSession,
      response: successJson,
      async handler({ caller, params }) {
        await sessions.end(caller.tenant, params.session_id)
        return success
      },
    }),
    jsonRoute({
      method: 'GET',
      path: '/v1/sessions/{session_id}/pages',
      summary: 'List the open pages of a session.',
      description:
        'Returns the title and URL of each page, and a link that shows it in the live view.',
      auth: 'key',
      scope: ['drive', 'view'],
      params: ofSession,
      response: pagesJson,
      async handler({ caller, params, request }) {
        const view = await sessions.get(caller, params.session_id)
        const pages = await sessions.pages(caller, params.session_id)
        const live = links.viewUrl(request, view, caller.keyId)
        return pages.map((page) => ({ ...page, frontend_url: `${live}&page=${page.id}` }))
      },
    }),
  ]
}

function extendRoutes({ sessions }: SessionRouteDeps) {
  return [
    jsonRoute({
      method: 'POST',
      path: '/v1/sessions/{session_id}/extend',
      audit: 'session.extend',
      summary: 'Extend a running session.',
      description:
        'Adds the minutes to its maximum duration and restarts its idle time. Returns both ' +
        'deadlines.',
      auth: 'key',
      scope: 'sessions',
      params: ofSession,
      body: z.strictObject({
        minutes: z.number().int().min(1).max(gatewaySessionLimits.extendMinutes),
      }),
      response: extendedJson,
      async handler({ caller, params, body }) {
        const view = await sessions.extend(caller, params.session_id, body.minutes)
        return { data: { status: 'success' as const, ...deadlinesOf(view) } }
      },
    }),
  ]
}

function tagRoutes({ sessions }: SessionRouteDeps) {
  const path = '/v1/sessions/{session_id}/tags'
  const shared = {
    path,
    auth: 'key',
    scope: 'sessions',
    params: ofSession,
    response: tagsJson,
  } as const
  const tagsOf = ({ tags }: SessionView) => ({ data: { tags: [...tags] } })
  return [
    jsonRoute({
      ...shared,
      method: 'GET',
      summary: 'Get the tags of a session.',
      description: 'Use tags to find sessions in lists, for example by test run or customer.',
      handler: async ({ caller, params }) => tagsOf(await sessions.get(caller, params.session_id)),
    }),
    jsonRoute({
      ...shared,
      method: 'PUT',
      summary: 'Replace the tags of a session.',
      description: 'Replaces all tags; include those that you want to keep.',
      body: z.object({ tags: tagList }),
      handler: async ({ caller, params, body }) =>
        tagsOf(await sessions.tag(caller, params.session_id, body.tags)),
    }),
    jsonRoute({
      ...shared,
      method: 'DELETE',
      summary: 'Remove all tags from a session.',
      description: 'The session itself continues.',
      handler: async ({ caller, params }) =>
        tagsOf(await sessions.tag(caller, params.session_id, [])),
    }),
  ]
}

type UrlDeps = Pick<SessionRouteDeps, 'addresses' | 'serviceSecret' | 'links'>

/** Both URLs stop working when the caller's key ends. */
function urlsOf(deps: UrlDeps, request: HttpRequest, view: SessionView, keyId: string) {
  const key = sessionKey(deps.serviceSecret.text, view.id, keyId)
  return {
    cdp_url: `${deps.addresses.ws(request)}/?apiKey=${key}&sessionId=${view.id}`,
    live_view_url: deps.links.viewUrl(request, view, keyId),
  }
}
