/** Routes about the service itself: landing page, API description, health and metrics. */
import { z } from 'zod'
import { devKey } from '../../proto/accounts/dev-key.ts'
import { boundsKinds, isolationModes } from '../../proto/host.ts'
import { demoPage, demoPath } from '../../runtime/browser-host/demo/demo-page.ts'
import { ServiceError } from '../../proto/errors.ts'
import { version } from '../../runtime/lib/package.ts'
import type { ServiceUrls } from '../routing/service-urls.ts'
import { forwardingHeader, type DevKeyRule } from '../routing/auth/dev-key.ts'
import type { Health } from '../sessions/health.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { StoreReadings } from './metrics/store-readings.ts'
import { buckets, streams } from '../../proto/subjects.ts'
import { bucketStream } from '../../runtime/store/nats/stream-plan.ts'
import { openApi } from '../routing/openapi/document.ts'
import { guidePageReply, jsonReply } from '../routing/answers/reply.ts'
import { jsonRoute, rawRoute, type Route } from '../routing/route.ts'
import { engineNames, type Engine } from '../server/engine.ts'
import type { HttpRequest } from '../server/http.ts'
import { landingPage } from './pages/landing.tsx'

export interface ServiceRouteDeps {
  readonly addresses: ServiceUrls
  readonly engine: Engine
  readonly health: Health
  readonly metrics: Metrics
  readonly storeReadings: Pick<StoreReadings, 'full'>
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
    server: z.enum(Object.values(engineNames)).describe('Engine that serves HTTP and WebSockets.'),
    nodes: count,
    warm: count,
    claimed: count,
    capacity: count,
    isolation: z
      .enum(isolationModes)
      .describe(
        'How browsers are isolated from their hosts. full: files, processes and network; ' +
          'namespaces: all but the network. The weakest mode of all hosts.',
      ),
    full_streams: z
      .array(z.string())
      .optional()
      .describe('Streams of the store that are full and refuse writes; absent if there are none.'),
    isolation_lacks: z
      .array(z.string())
      .describe('What is missing on a host, and why; empty if nothing is.'),
    bounds: z
      .enum(boundsKinds)
      .describe(
        'Who keeps browsers within their memory and number of processes. kernel: control groups, ' +
          'at once; checks: node agents, every two seconds, as on at least one host.',
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
      summary: 'Show what this service is and how to start.',
      description: 'A page for people; programs start at `/openapi.json`.',
      auth: 'none',
      contentType: 'text/html',
      handler({ request }) {
        const origin = addresses.http(request)
        const isLocal = devKeyRule.whyNot(request) === undefined
        const { wellKnown } = devKeyRule
        const keyIs = isLocal ? keyNote(wellKnown) : ''
        const isServed = (path: string) => routes().some((route) => route.path === path)
        const usesDevKey = isLocal && wellKnown === devKey
        return guidePageReply(landingPage({ origin, usesDevKey, keyIs, isServed }))
      },
    }),
    rawRoute({
      method: 'GET',
      path: demoPath,
      summary: 'Show a page to try a browser on: a form, a list, an upload, a popup, a canvas.',
      description:
        'Sessions of this service can also open it at this URL, although they cannot reach ' +
        'anything else of the service.',
      auth: 'none',
      contentType: 'text/html',
      handler: () => ({ status: 200, headers: demoPage().headers, body: demoPage().html }),
    }),
    rawRoute({
      method: 'GET',
      path: '/openapi.json',
      summary: 'Get this API description.',
      description: 'OpenAPI 3.1, generated from the routes that this gateway serves.',
      auth: 'none',
      contentType: 'application/json',
      handler: ({ request }) => jsonReply(200, openApi(routes(), addresses.http(request))),
    }),
  ]
}

const keyNote = (wellKnown: string | undefined): string =>
  wellKnown === undefined
    ? 'Development key of this machine: npm run troupe -- keys dev.'
    : 'This key is for development, on this machine only.'

function healthRoutes({
  engine,
  health,
  metrics,
  metricsNeedKey,
  storeReadings,
}: ServiceRouteDeps): readonly Route[] {
  return [
    jsonRoute({
      method: 'GET',
      path: '/health/live',
      summary: 'Check that the process is alive.',
      description: 'For a process supervisor. Says nothing about browsers.',
      auth: 'none',
      response: alive,
      handler: () => ({ data: { status: 'alive' as const, version } }),
    }),
    jsonRoute({
      method: 'GET',
      path: '/health/ready',
      summary: 'Check that a session can get a browser: 200, or 503 with the reason.',
      description:
        'For a load balancer. Returns the number of hosts and browsers, and how they are ' +
        'isolated.',
      auth: 'none',
      response: ready,
      handler: () => ({
        data: {
          status: 'ready' as const,
          server: engineNames[engine],
          ...health.ready(),
          ...fullStreams(storeReadings.full()),
        },
      }),
    }),
    rawRoute({
      method: 'GET',
      path: '/metrics',
      summary: 'Get metrics for Prometheus.',
      description:
        'Text format. Requires a key with the scope `metrics` or `admin` if the service ' +
        'listens beyond loopback or `PUBLIC_URL` is set.',
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

const neededBySessions = [streams.log, ...[buckets.owners, buckets.views].map(bucketStream)]

/** Throws `unavailable` if one is full that every new session writes to. */
function fullStreams(full: readonly string[]): { readonly full_streams?: string[] } {
  const needed = full.filter((name) => neededBySessions.includes(name))
  if (needed.length > 0) {
    const text =
      `The store has no room for new sessions (${needed.join(', ')}): raise STORE_MAX_MIB, or ` +
      'wait some minutes, in which what has ended makes room.'
    throw new ServiceError('unavailable', text)
  }
  return full.length > 0 ? { full_streams: [...full] } : {}
}

/** Requests that a proxy on this machine forwards look local. */
function refuseForwarded({ headers }: HttpRequest): void {
  const name = forwardingHeader(headers)
  if (name === undefined) return
  throw new ServiceError(
    'unauthorized',
    `The header ${name} shows that a proxy forwarded this request: set PUBLIC_URL, and send a ` +
      'key with the scope metrics or admin.',
  )
}
