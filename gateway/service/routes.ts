/** Routes about the service itself: landing page, API description, health and metrics. */
import { z } from 'zod'
import { isolationModes } from '../../proto/host.ts'
import { demoPage, demoPath } from '../../runtime/browser-host/demo/demo-page.ts'
import { ServiceError } from '../../proto/errors.ts'
import { version } from '../../runtime/lib/package.ts'
import type { ServiceUrls } from '../routing/service-urls.ts'
import { forwardingHeader, type DevKeyRule } from '../routing/auth/dev-key.ts'
import type { Health } from '../sessions/health.ts'
import type { Metrics } from './metrics/metrics.ts'
import { openApi } from '../routing/openapi/document.ts'
import { htmlReply, jsonReply } from '../routing/answers/reply.ts'
import { jsonRoute, rawRoute, type Route } from '../routing/route.ts'
import { engineNames, type Engine } from '../server/engine.ts'
import type { HttpRequest } from '../server/http.ts'
import { landingPage } from './pages/landing.tsx'

export interface ServiceRouteDeps {
  readonly addresses: ServiceUrls
  readonly engine: Engine
  readonly health: Health
  readonly metrics: Metrics
  /** Set if other machines may send the request: off loopback, or behind a proxy. */
  readonly metricsNeedKey: boolean
  readonly devKeyRule: DevKeyRule
  /** All routes, including these. */
  readonly routes: () => readonly Route[]
}

const alive = z.object({ data: z.object({ status: z.literal('alive'), version: z.string() }) })
const count = z.number().int()
const ready = z.object({
  data: z.object({
    status: z.literal('ready'),
    server: z.enum(Object.values(engineNames)).describe('What serves HTTP and sockets here.'),
    nodes: count,
    warm: count,
    claimed: count,
    capacity: count,
    isolation: z
      .enum(isolationModes)
      .describe(
        'What stands between browsers and their hosts: full is files, processes and network; ' +
          'namespaces is all but the network.',
      ),
  }),
})

export function serviceRoutes(deps: ServiceRouteDeps): readonly Route[] {
  return [...pageRoutes(deps), ...healthRoutes(deps)]
}

function pageRoutes({ addresses, devKeyRule, routes }: ServiceRouteDeps): readonly Route[] {
  return [
    rawRoute({
      method: 'GET',
      path: '/',
      summary: 'A page that says what this is and how to start.',
      description: 'For people; programs begin at `/openapi.json`.',
      auth: 'none',
      contentType: 'text/html',
      handler({ request }) {
        const origin = addresses.http(request)
        const isLocal = devKeyRule.whyNot(request) === undefined
        const { wellKnown } = devKeyRule
        const key = (isLocal && wellKnown) || 'YOUR_KEY'
        const keyIs = isLocal ? keyNote(wellKnown) : ''
        const isServed = (path: string) => routes().some((route) => route.path === path)
        return htmlReply(200, landingPage({ origin, key, keyIs, isServed }))
      },
    }),
    rawRoute({
      method: 'GET',
      path: demoPath,
      summary: 'A page to try a browser on: a form, a list, an upload, a popup, a canvas.',
      description:
        'The sessions of this service reach it at this address too, although they reach nothing ' +
        'else of the service.',
      auth: 'none',
      contentType: 'text/html',
      handler: () => ({ status: 200, headers: demoPage().headers, body: demoPage().html }),
    }),
    rawRoute({
      method: 'GET',
      path: '/openapi.json',
      summary: 'This description.',
      description: 'OpenAPI 3.1, made from the table of routes that this gateway serves.',
      auth: 'none',
      contentType: 'application/json',
      handler: ({ request }) => jsonReply(200, openApi(routes(), addresses.http(request))),
    }),
  ]
}

const keyNote = (wellKnown: string | undefined): string =>
  wellKnown === undefined
    ? 'The key of this machine, for development: npm run troupe -- keys dev.'
    : 'The key is for development, on this machine alone.'

function healthRoutes({
  engine,
  health,
  metrics,
  metricsNeedKey,
}: ServiceRouteDeps): readonly Route[] {
  return [
    jsonRoute({
      method: 'GET',
      path: '/health/live',
      summary: 'Answers while the process does.',
      description: 'For a process supervisor. It says nothing about browsers.',
      auth: 'none',
      response: alive,
      handler: () => ({ data: { status: 'alive' as const, version } }),
    }),
    jsonRoute({
      method: 'GET',
      path: '/health/ready',
      summary: 'Answers 200 while a browser can be handed out, else 503 with the reason.',
      description:
        'For a load balancer. The answer has the number of hosts and browsers, and how they ' +
        'are isolated.',
      auth: 'none',
      response: ready,
      handler: () => ({
        data: { status: 'ready' as const, server: engineNames[engine], ...health.ready() },
      }),
    }),
    rawRoute({
      method: 'GET',
      path: '/metrics',
      summary: 'Figures for Prometheus.',
      description:
        'Text format. Off loopback, and with `PUBLIC_URL` set, it needs a key with the scope `metrics` or `admin`.',
      auth: metricsNeedKey ? 'key' : 'none',
      scope: ['metrics', 'admin'],
      contentType: 'text/plain',
      async handler({ request }) {
        if (!metricsNeedKey) refuseForwarded(request)
        const headers = { 'content-type': metrics.contentType }
        return { status: 200, headers, body: await metrics.text() }
      },
    }),
  ]
}

/** Requests that a proxy on this machine forwards look local. */
function refuseForwarded({ headers }: HttpRequest): void {
  const name = forwardingHeader(headers)
  if (name === undefined) return
  throw new ServiceError(
    'unauthorized',
    `The header ${name} says that a proxy forwarded this: set PUBLIC_URL, and send a key with the scope admin.`,
  )
}
