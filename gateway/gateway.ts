/** Assembles the gateway from the services of the runtime, and shuts it down. */
import { isLoopback } from '../runtime/lib/network/hosts.ts'
import { ServiceUrls } from './routing/service-urls.ts'
import { App, type SocketEndpoint } from './app.ts'
import { isCdpPath } from './cdp/endpoint.ts'
import { isLiveSocketPath } from './live/endpoint.ts'
import { McpEndpoint } from './mcp/endpoint/mcp-endpoint.ts'
import type { ErrorPages } from './portal/open.ts'
import { gatewayRoutes } from './routes.ts'
import { chooseEngine, type Engine } from './server/engine.ts'
import { startHttpServer } from './server/server.ts'
import { openServices, type GatewayDeps, type GatewayServices } from './services.ts'
import { isRecordsPath } from './tasks/following/endpoint.ts'
import { gatewayLimits } from './limits.ts'

export interface Gateway {
  /** The address it listens on, which may differ from PUBLIC_URL. */
  readonly url: string
  readonly engine: Engine
  /** The address that other machines can reach, if there is one. */
  readonly publicUrl: string | undefined
  /**
   * Reports not ready, closes sockets and accepts no connections; resolves when the actors know.
   */
  drain(): Promise<void>
}

export async function openGateway(deps: GatewayDeps): Promise<Gateway> {
  const { config, clock, log } = deps
  const engine = chooseEngine(config.SERVER_ENGINE)
  const own = { host: urlHost(config.HOST), port: config.PORT }
  const addresses = new ServiceUrls(config.PUBLIC_URL, () => `${own.host}:${own.port}`)
  const services = openServices(deps, addresses)
  const { auth, origins, health, tasks, files, access, idempotency, metrics, audit } = services
  const { answerRoom } = services
  await answerRoom.follow(deps.idempotency)
  const mcp = new McpEndpoint((request) => app.handle(request), log)
  const app = new App({
    routes: gatewayRoutes(deps, services, { engine, mcp }),
    sockets: socketEndpoints(services),
    access: access.gate,
    errorPages: errorPagesOf(services),
    ...{ auth, idempotency, timings: metrics.timings, audit, clock, log, origins },
  })
  const server = await listen(app, engine, config).catch(async (error: unknown) => {
    await drainSockets(services)
    throw error
  })
  own.port = server.port
  const url = `http://${own.host}:${own.port}`
  return {
    url,
    engine,
    publicUrl: config.PUBLIC_URL.replace(/^ws/, 'http') || (isLoopback(own.host) ? undefined : url),
    async drain() {
      health.drain()
      services.operatorConsole.drain()
      server.stop()
      tasks.drain()
      await Promise.all([mcp.drain(), drainSockets(services)])
      await files.close()
      access.close()
      answerRoom.stop()
    },
  }
}

/** The portal and the console render errors of their own paths. */
function errorPagesOf({ portal, operatorConsole }: GatewayServices): ErrorPages {
  const all = [portal.errors, operatorConsole.errors]
  const of = (path: string) => all.find((each) => each.serves(path))
  return {
    serves: (path) => of(path) !== undefined,
    reply: (error, request, requestId) => of(request.path)!.reply(error, request, requestId),
  }
}

const listen = (app: App, engine: Engine, config: GatewayDeps['config']) =>
  startHttpServer(engine, {
    host: config.HOST,
    port: config.PORT,
    handle: (request) => app.handle(request),
    upgrade: (request) => app.upgrade(request),
    // Larger than the limit of one message, so that larger messages are refused there with a
    // reason.
    bounds: [
      { path: '/ws', messageBytes: 2 * gatewayLimits.feedMessageBytes },
      { path: '/live/*', messageBytes: 2 * gatewayLimits.liveTextBytes },
    ],
  })

const drainSockets = ({ cdp, live, ownSessions, records }: GatewayServices) =>
  Promise.all([cdp.drain().then(() => ownSessions.settled()), live.drain(), records.drain()])

function socketEndpoints(services: GatewayServices): readonly SocketEndpoint[] {
  const { auth, cdp, live, ownSessions, records } = services
  return [
    {
      name: 'cdp',
      isKeyed: true,
      serves: isCdpPath,
      async open(request) {
        const grant = request.path === '/' ? auth.byOpener(request) : auth.bySocket(request)
        const handler =
          'sessionId' in grant
            ? await cdp.connect(request, grant)
            : await ownSessions.connect(request, grant)
        return { handler, keyId: grant.keyId }
      },
    },
    {
      name: 'live',
      isKeyed: false,
      serves: isLiveSocketPath,
      open: (request) => live.connect(request),
    },
    {
      name: 'ws',
      isKeyed: true,
      serves: isRecordsPath,
      open: (request) => records.connect(request),
    },
  ]
}

/** Puts IPv6 addresses in brackets; a wildcard address is replaced by loopback. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
