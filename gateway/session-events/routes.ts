/** What has happened in a session, for callers of REST. */
import { z } from 'zod'
import { sessionLimits } from '../../proto/session/limits.ts'
import { loggedEvent } from '../../proto/session/session-event.ts'
import { jsonRoute, type Route } from '../routing/route.ts'
import type { SessionService } from '../sessions/sessions.ts'
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
  return [
    jsonRoute({
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
    }),
  ]
}
