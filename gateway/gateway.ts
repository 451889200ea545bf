/** Puts the gateway together from what the runtime gives it, and takes it apart again. */
import type { Logger } from 'pino'
import type { Incarnation } from '../proto/ids.ts'
import type { Announcements, Bus } from '../runtime/bus.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Config } from '../runtime/config.ts'
import type { Credentials } from '../runtime/credentials/open.ts'
import type { Directory } from '../runtime/directory.ts'
import type { Membership } from '../runtime/membership.ts'
import type { LogStore } from '../runtime/store.ts'
import { isLoopback } from '../runtime/network/hosts.ts'
import { Addresses } from './address.ts'
import { App, type SocketEndpoint } from './app.ts'
import { Authenticator, type KeySource } from './auth.ts'
import { Attachments } from './cdp/attachments.ts'
import { CdpEndpoint, isCdpPath } from './cdp/endpoint.ts'
import { Commands } from './commands.ts'
import { AgentFiles } from './files/agent-files.ts'
import { Health } from './health.ts'
import { isLiveSocketPath, LiveEndpoint } from './live/endpoint.ts'
import { LiveLinks } from './live/links.ts'
import { McpEndpoint } from './mcp-endpoint.ts'
import { Metrics } from './metrics.ts'
import { OriginGuard } from './origin.ts'
import { Reach } from './reach.ts'
import type { Route } from './routing/route.ts'
import { agentRoutes } from './routes/agent.ts'
import { commandRoutes } from './routes/commands.ts'
import { credentialRoutes } from './routes/credentials.ts'
import { devtoolsRoutes } from './routes/devtools.ts'
import { fileRoutes } from './routes/files.ts'
import { liveRoutes } from './routes/live.ts'
import { liveAssetRoutes } from './routes/live-assets.ts'
import { mcpRoutes } from './routes/mcp.ts'
import { serviceRoutes } from './routes/service.ts'
import { sessionRoutes } from './routes/sessions.ts'
import { taskRoutes } from './routes/tasks.ts'
import { toolRoutes } from './routes/tools.ts'
import { serve } from './server/server.ts'
import { Sessions, type SessionViews } from './sessions/sessions.ts'
import { TasksBySession } from './tasks/by-session.ts'
import { isRecordsPath, RecordsEndpoint } from './tasks/endpoint.ts'
import { Orders, type OrderDeps } from './tasks/orders.ts'
import { TaskRecords } from './tasks/records.ts'
import { Tasks, type TaskViews } from './tasks/tasks.ts'
import { TaskAgents } from './task-agents.ts'

type GatewayConfig = Pick<
  Config,
  'HOST' | 'PORT' | 'PUBLIC_URL' | 'ALLOWED_ORIGINS' | 'ALLOW_DEV_KEY' | 'WS_REQUIRE_KEY'
>

export interface GatewayDeps extends OrderDeps {
  readonly config: GatewayConfig
  readonly incarnation: Incarnation
  readonly machine: string
  readonly log: Logger
  readonly clock: Clock
  readonly bus: Bus & Announcements
  readonly directory: Pick<Directory, 'ask' | 'create'>
  readonly membership: Pick<Membership, 'hosts'>
  readonly views: SessionViews
  readonly taskViews: TaskViews
  /** The public records of tasks, and the pictures beside them. */
  readonly store: { readonly steps: LogStore; readonly pictures: LogStore }
  readonly keys: KeySource
  readonly credentials: Credentials
  readonly serviceSecret: string
}

export interface Gateway {
  /** Where it listens, not where PUBLIC_URL says it can be reached. */
  readonly url: string
  /** How other machines reach it, where they do. */
  readonly publicUrl: string | undefined
  /** Not ready any more, sockets closed, no new connections; resolves when the actors know. */
  drain(): Promise<void>
}

export async function openGateway(deps: GatewayDeps): Promise<Gateway> {
  const { config } = deps
  const onLoopback = isLoopback(config.HOST)
  const acceptsDevKey = onLoopback || config.ALLOW_DEV_KEY
  const health = new Health(deps.membership)
  const attachments = new Attachments(deps)
  const reach = new Reach({ ...deps, attachments })
  const cdp = new CdpEndpoint({ ...deps, attachments, reach })
  const own = { host: urlHost(config.HOST), port: config.PORT }
  const addresses = new Addresses(config.PUBLIC_URL, () => `${own.host}:${own.port}`)
  const sessions = new Sessions({ ...deps, attachments })
  const commands = new Commands({ ...deps, attachments })
  const files = new AgentFiles({ ...deps, attachments })
  const tasksBySession = new TasksBySession(deps.taskViews)
  const tasks = new Tasks({ ...deps, tasksBySession, sessions, orders: new Orders(deps) })
  const links = new LiveLinks({ ...deps, addresses })
  const live = new LiveEndpoint({ ...deps, attachments, reach, links, commands, tasks })
  const mcp = new McpEndpoint((request) => app.handle(request), deps.log)
  const auth = new Authenticator({
    ...deps,
    acceptsDevKey,
    watchingNeedsKey: config.WS_REQUIRE_KEY,
  })
  const records = new RecordsEndpoint({ ...deps, steps: deps.store.steps, auth, sessions, tasks })
  const metrics = new Metrics({ ...deps, cdp, live, records })

  const routes: Route[] = [
    ...sessionRoutes({ ...deps, tasksBySession, sessions, addresses, links }),
    ...commandRoutes(commands),
    ...toolRoutes({ ...deps, commands, sessions }),
    ...agentRoutes({ ...deps, tasks, sessions }),
    ...taskRoutes({ ...deps, tasks, records: new TaskRecords(deps.store) }),
    ...fileRoutes({ files, commands, addresses }),
    ...credentialRoutes({ ...deps, addresses }),
    ...devtoolsRoutes({ attachments, addresses }),
    ...liveRoutes({ ...deps, sessions, links }),
    ...liveAssetRoutes(),
    ...mcpRoutes({ mcp, addresses, agents: new TaskAgents(deps.bus) }),
    ...serviceRoutes({
      addresses,
      health,
      metrics,
      acceptsDevKey,
      metricsNeedKey: !onLoopback,
      routes: () => routes,
    }),
  ]
  const app = new App({
    routes,
    sockets: socketEndpoints(auth, cdp, live, records),
    auth,
    metrics,
    clock: deps.clock,
    log: deps.log,
    origins: new OriginGuard({
      host: config.HOST,
      publicUrl: config.PUBLIC_URL,
      allowedOrigins: config.ALLOWED_ORIGINS,
    }),
  })
  const server = await serve({
    host: config.HOST,
    port: config.PORT,
    handle: (request) => app.handle(request),
    upgrade: (request) => app.upgrade(request),
  }).catch(async (error: unknown) => {
    await Promise.all([cdp.drain(), live.drain(), records.drain()])
    throw error
  })
  own.port = server.port
  const url = `http://${own.host}:${own.port}`
  return {
    url,
    publicUrl: config.PUBLIC_URL.replace(/^ws/, 'http') || (isLoopback(own.host) ? undefined : url),
    async drain() {
      health.drain()
      server.stop()
      tasks.drain()
      await Promise.all([mcp.drain(), cdp.drain(), live.drain(), records.drain()])
      await files.close()
    },
  }
}

function socketEndpoints(
  auth: Authenticator,
  cdp: CdpEndpoint,
  live: LiveEndpoint,
  records: RecordsEndpoint,
): readonly SocketEndpoint[] {
  return [
    {
      name: 'cdp',
      serves: isCdpPath,
      async open(request) {
        const grant = auth.bySocket(request)
        return { handler: await cdp.connect(request.path, grant), keyId: grant.keyId }
      },
    },
    {
      name: 'live',
      serves: isLiveSocketPath,
      open: async (request) => ({ handler: await live.connect(request), keyId: 'live' }),
    },
    { name: 'ws', serves: isRecordsPath, open: (request) => records.connect(request) },
  ]
}

/** IPv6 goes in brackets; an address that means "all of them" is reached on loopback. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
