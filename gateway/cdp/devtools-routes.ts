/**
 * The HTTP routes of DevTools, for clients that connect to an http:// endpoint: discovery, with
 * addresses rewritten to this gateway, and actions on a target by its id.
 */
import { z } from 'zod'
import { ServiceError } from '../../proto/errors.ts'
import { version } from '../../runtime/lib/package.ts'
import { withoutOwnTargets } from '../../runtime/browser-host/cdp-rules/own-targets.ts'
import { DialFailed, type BrowserDialer } from '../../runtime/browser-host/channel/channel.ts'
import type { ServiceUrls } from '../routing/service-urls.ts'
import type { Attachments } from '../sessions/sockets/attachments.ts'
import type { HttpReply, HttpRequest } from '../server/http.ts'
import { jsonReply } from '../routing/answers/reply.ts'
import { rawRoute, type Route } from '../routing/route.ts'
import { ownSessionBody } from './own-session.ts'

export interface DevtoolsRouteDeps {
  readonly attachments: Attachments
  readonly addresses: ServiceUrls
}

const credentials = z.object({
  apiKey: z.string().optional().describe('The key from the cdp_url, or your API key.'),
  sessionId: z.string(),
})

const opening = credentials.partial().extend({
  headless: z.string().optional().describe('For a new session: true or false.'),
  tags: z.string().optional().describe('For a new session: its tags, separated by commas.'),
  timeout: z
    .string()
    .optional()
    .describe('For a new session: its maximum duration, in minutes.')
    .meta({ pattern: String.raw`^\d+(\.\d+)?$` }),
})

const targetExample = {
  id: '9A4F0C',
  type: 'page',
  title: 'Example Domain',
  url: 'https://example.com/',
  webSocketDebuggerUrl: 'ws://127.0.0.1:8080/devtools/page/9A4F0C?apiKey=…&sessionId=ses_…',
}

const discoveries = [
  {
    path: '/json/list',
    summary: 'List the targets of the session, each with its WebSocket URL.',
    description: 'Returns pages, workers and frames as Chromium lists them.',
    answer: [targetExample],
  },
  {
    path: '/json',
    summary: 'List the targets of the session: same as /json/list.',
    description: 'An older name of `/json/list`.',
    answer: [targetExample],
  },
  {
    path: '/json/protocol',
    summary: 'Get the definition of the CDP protocol of this browser.',
    description: 'Returns every domain with its commands and events, about 1 MB.',
    answer: { version: { major: '1', minor: '3' }, domains: [] },
  },
] as const

const actions = [
  {
    name: 'activate',
    summary: 'Bring a target to the front.',
    description:
      'The desktop and the live view then show this page. The answer is plain text, as from ' +
      'Chromium.',
    done: 'Target activated',
  },
  {
    name: 'close',
    summary: 'Close a target.',
    description:
      'The session continues even without pages; you can open another tab. The answer is plain ' +
      'text, as from Chromium.',
    done: 'Target is closing',
  },
] as const

const target = z.object({ target_id: z.string() })
/** Other text could form a different path of Chromium's HTTP server. */
const targetId = /^[A-Za-z0-9-]{1,64}$/

export function devtoolsRoutes(deps: DevtoolsRouteDeps): readonly Route[] {
  return [versionRoute(deps), ...discoveryRoutes(deps), ...actionRoutes(deps)]
}

/**
 * Clients with an http:// address request the socket's address here. Without a session in the
 * query, it is the address of the socket that creates one.
 */
function versionRoute({ attachments, addresses }: DevtoolsRouteDeps): Route {
  const path = '/json/version'
  return rawRoute({
    method: 'GET',
    path,
    summary:
      'Get the browser version and its WebSocket URL; without a sessionId, a URL that creates ' +
      'a session.',
    description:
      'Clients such as `connectOverCDP("http://…")` request this first. URLs lead to this ' +
      'gateway.',
    example: {
      answer: {
        Browser: 'Chrome/140.0.0.0',
        'Protocol-Version': '1.3',
        webSocketDebuggerUrl: 'ws://127.0.0.1:8080/devtools/browser/…?apiKey=…&sessionId=ses_…',
      },
    },
    auth: 'opener',
    query: opening,
    contentType: 'application/json',
    handler({ caller, request }) {
      const base = addresses.ws(request)
      if (!('sessionId' in caller)) {
        ownSessionBody(request.query)
        const webSocketDebuggerUrl = `${base}/?${request.query}`
        const browser = { Browser: `Troupe/${version}`, 'Protocol-Version': '1.3' }
        return jsonReply(200, { ...browser, webSocketDebuggerUrl })
      }
      return attachments.during(caller, async ({ dialer }) => {
        const text = await dialer.get(path).catch(unreachable)
        return jsonReply(200, withGatewayUrls(JSON.parse(text), base, request))
      })
    },
  })
}

function discoveryRoutes({ attachments, addresses }: DevtoolsRouteDeps): readonly Route[] {
  return discoveries.map(({ path, summary, description, answer }) =>
    rawRoute({
      method: 'GET',
      path,
      summary,
      description,
      example: { answer },
      auth: 'socket',
      query: credentials,
      contentType: 'application/json',
      handler: ({ caller, request }) =>
        attachments.during(caller, async ({ dialer }) => {
          const text = await dialer.get(path).catch(unreachable)
          if (path === '/json/protocol') return { ...jsonReply(200, null), body: text }
          const targets = withoutOwnTargets(JSON.parse(text))
          return jsonReply(200, withGatewayUrls(targets, addresses.ws(request), request))
        }),
    }),
  )
}

/** Newer clients of Chromium send PUT, older ones GET; both are accepted. */
function actionRoutes({ attachments }: DevtoolsRouteDeps): readonly Route[] {
  const ways = (['GET', 'PUT'] as const).flatMap((method) =>
    actions.map((action) => ({ ...action, method })),
  )
  return ways.map(({ method, name, summary, description, done }) =>
    rawRoute({
      method,
      path: `/json/${name}/{target_id}`,
      summary,
      description,
      example: { answer: done },
      auth: 'socket',
      params: target,
      query: credentials,
      contentType: 'application/json',
      handler: ({ caller, params: { target_id: id } }) =>
        attachments.during(caller, async ({ dialer }) => {
          const isFound = targetId.test(id) && (await isAnswered(dialer, `/json/${name}/${id}`))
          return isFound ? asChromium(200, done) : asChromium(404, `No such target id: ${id}`)
        }),
    }),
  )
}

/** Returns false if the browser says that there is no such target. */
async function isAnswered(dialer: BrowserDialer, path: string): Promise<boolean> {
  try {
    await dialer.get(path)
    return true
  } catch (error) {
    if (error instanceof DialFailed && error.status === 404) return false
    return unreachable(error)
  }
}

/** Chromium answers with plain text under the content type of JSON; this does the same. */
function asChromium(status: number, body: string): HttpReply {
  const headers = {
    'content-type': 'application/json; charset=UTF-8',
    'cache-control': 'no-store',
  }
  return { status, headers, body }
}

function unreachable(error: unknown): never {
  if (!(error instanceof DialFailed)) throw error
  const message = 'The browser does not answer; it may be closing. Check GET /v1/sessions/{id}.'
  throw new ServiceError('unavailable', message, {}, error)
}

/**
 * Replaces the browser's own loopback addresses: sockets lead to this gateway, and the URL of the
 * inspector, which is not served, is removed.
 */
function withGatewayUrls(value: unknown, base: string, request: HttpRequest): unknown {
  if (Array.isArray(value)) return value.map((item) => withGatewayUrls(item, base, request))
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
