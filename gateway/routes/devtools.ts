/**
 * The discovery routes of DevTools, with addresses that lead back here: for
 * clients given an http:// endpoint.
 */
import { z } from 'zod'
import { ServiceError } from '../../proto/errors.ts'
import { DialFailed } from '../../runtime/channel/channel.ts'
import type { Addresses } from '../address.ts'
import type { Attachments } from '../cdp/attachments.ts'
import type { HttpRequest } from '../server/http.ts'
import { jsonReply } from '../routing/reply.ts'
import { rawRoute, type Route } from '../routing/route.ts'

export interface DevtoolsRouteDeps {
  readonly attachments: Attachments
  readonly addresses: Addresses
}

const credentials = z.object({
  apiKey: z.string().optional().describe('The key in the cdp_url, or your own.'),
  sessionId: z.string(),
})

const discoveries = [
  { path: '/json/version', summary: 'The browser, and where its socket is.' },
  { path: '/json/list', summary: 'The targets of the session, each with its socket.' },
  { path: '/json', summary: 'The same as /json/list.' },
  { path: '/json/protocol', summary: 'The protocol this browser speaks.' },
] as const

export function devtoolsRoutes({ attachments, addresses }: DevtoolsRouteDeps): readonly Route[] {
  return discoveries.map(({ path, summary }) =>
    rawRoute({
      method: 'GET',
      path,
      summary,
      auth: 'socket',
      query: credentials,
      contentType: 'application/json',
      handler: ({ caller, request }) =>
        attachments.during(caller, async ({ door }) => {
          const text = await door.get(path).catch((error: unknown) => {
            throw error instanceof DialFailed ? unreachable(error) : error
          })
          if (path === '/json/protocol') return { ...jsonReply(200, null), body: text }
          return jsonReply(200, readdressed(JSON.parse(text), addresses.ws(request), request))
        }),
    }),
  )
}

function unreachable(cause: DialFailed): ServiceError {
  const message = 'The browser does not answer; it may be closing. Look at GET /v1/sessions/{id}.'
  return new ServiceError('unavailable', message, {}, cause)
}

/**
 * Loopback addresses of another machine are no use: sockets lead here, and no inspector is served.
 */
function readdressed(value: unknown, base: string, request: HttpRequest): unknown {
  if (Array.isArray(value)) return value.map((item) => readdressed(item, base, request))
  if (typeof value !== 'object' || value === null) return value
  const { devtoolsFrontendUrl: _, webSocketDebuggerUrl, ...rest } = value as Record<string, unknown>
  if (typeof webSocketDebuggerUrl !== 'string') return rest
  const { pathname } = new URL(webSocketDebuggerUrl)
  const query = new URLSearchParams()
  for (const name of ['apiKey', 'sessionId']) {
    const given = request.query.get(name)
    if (given !== null) query.set(name, given)
  }
  return { ...rest, webSocketDebuggerUrl: `${base}${pathname}?${query}` }
}
