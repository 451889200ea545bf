/** What has happened in a session, for callers of REST. */
import { Readable } from 'node:stream'
import { z } from 'zod'
import { ServiceError } from '../../proto/errors.ts'
import { sessionLimits } from '../../proto/session/limits.ts'
import { loggedEvent } from '../../proto/session/session-event.ts'
import { jsonRoute, rawRoute, type Route } from '../routing/route.ts'
import type { SessionService } from '../sessions/sessions.ts'
import { harExample, harOf } from './har.ts'
import { readEvents } from './read-events.ts'
import type { NodeRequester } from '../../runtime/browser-host/node-client.ts'

export interface EventRouteDeps {
  readonly bus: NodeRequester
  readonly sessions: Pick<SessionService, 'get'>
}

const eventListJson = z.object({
  data: z.object({
    items: z.array(loggedEvent).describe('Oldest first.'),
    has_more: z.boolean().describe('If true, ask again `after` the last one.'),
  }),
})

export function sessionEventRoutes({ bus, sessions }: EventRouteDeps): readonly Route[] {
  return [listRoute({ bus, sessions }), harRoute({ bus, sessions })]
}

function listRoute({ bus, sessions }: EventRouteDeps): Route {
  return jsonRoute({
    method: 'GET',
    path: '/v1/sessions/{session_id}/events',
    summary: 'List what has happened in a session.',
    description:
      'Commands with their targets, CDP clients and viewers that came and left, what CDP clients ' +
      'did, pages that opened, went elsewhere, closed or crashed, and downloads. Of every session, ' +
      'while it runs and for a day after its last event, as long as its host is up. No typed ' +
      'text, headers or bodies. The newest 1 to 2 MiB are kept. Events of the last moment may be ' +
      'missing.',
    auth: 'key',
    scope: 'drive',
    params: z.object({ session_id: z.string() }),
    query: z.object({
      after: z.coerce.number().int().min(0).default(0).describe('The `n` of the last one known.'),
      last: z.coerce
        .number()
        .int()
        .min(1)
        .max(sessionLimits.eventsPerPage)
        .optional()
        .describe('Only the newest so many.'),
    }),
    response: eventListJson,
    async handler({ caller, params, query }) {
      const view = await sessions.get(caller, params.session_id)
      const { events, hasMore } = await readEvents(bus, view, query)
      return { data: { items: [...events], has_more: hasMore } }
    },
  })
}

function harRoute({ bus, sessions }: EventRouteDeps): Route {
  return rawRoute({
    method: 'GET',
    path: '/v1/sessions/{session_id}/har',
    summary: 'Get the requests of the pages of a session as an HTTP archive (HAR).',
    description:
      'Only of sessions created with `browser.tracing.active` or `session.recording.active`, while ' +
      'they run and for a day after their last request, as long as their host is up: address, ' +
      'status, type, size and timings of each request that has ended. No headers, cookies, bodies or ' +
      'values of queries. The newest 2 to 4 MiB are kept.',
    auth: 'key',
    scope: 'drive',
    params: z.object({ session_id: z.string() }),
    contentType: 'application/json',
    example: { answer: harExample },
    async handler({ caller, params }) {
      const view = await sessions.get(caller, params.session_id)
      if (!view.options.tracing && !view.options.recording) throw unwatchedError()
      return {
        status: 200,
        headers: {
          'content-type': 'application/json',
          'content-disposition': `attachment; filename="${view.id}.har"`,
          'cache-control': 'no-store',
        },
        body: { stream: Readable.from(await harOf(bus, view), { objectMode: false }) },
      }
    },
  })
}

const unwatchedError = () =>
  new ServiceError(
    'not_found',
    'The requests of this session were not kept; create one with {"browser": {"tracing": {"active": ' +
      'true}}} or {"session": {"recording": {"active": true}}}.',
  )
