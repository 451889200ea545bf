/** Assembles the gateway from what the runtime gives it, and shuts it down. */
import type { Logger } from 'pino'
import type { EndpointView } from '../proto/access/webhooks/endpoint.ts'
import type { Incarnation } from '../proto/ids.ts'
import { limits } from '../proto/limits.ts'
import type { MessageSubscriber, Bus } from '../runtime/store/bus.ts'
import type { Clock } from '../runtime/lib/clock.ts'
import type { Config } from '../runtime/config/config.ts'
import type { Credentials } from '../runtime/accounts/credentials/open.ts'
import type { Directory } from '../runtime/actor/directory.ts'
import type { Membership } from '../runtime/cluster/membership.ts'
import type { OutputSchemas } from '../runtime/lib/schemas/output-schemas.ts'
import type { Bucket, LogStore } from '../runtime/store/store.ts'
import type { ViewIndex } from '../runtime/actor/views.ts'
import { webhookRules, type WebhookSettings } from '../runtime/webhooks/settings.ts'
import { isLoopback } from '../runtime/lib/network/hosts.ts'
import type { ServiceAudit } from '../runtime/service-audit/writer.ts'
import type { ServiceSecret } from '../runtime/accounts/keys/service-secret.ts'
import { openAccess, type ScopedAccessDeps } from './access/open.ts'
import { ServiceUrls } from './routing/service-urls.ts'
import { App, type SocketEndpoint } from './app.ts'
import { Authenticator } from './routing/auth/auth.ts'
import { Attachments } from './sessions/sockets/attachments.ts'
import { CdpEndpoint, isCdpPath } from './cdp/endpoint.ts'
import { CommandDispatcher } from './commands/command-dispatcher.ts'
import { DevKeyRule } from './routing/auth/dev-key.ts'
import { AgentFiles } from './files/agent-files.ts'
import { Health } from './sessions/health.ts'
import { KeyValidity, type KeySource } from './routing/auth/key-validity.ts'
import { KeylessWatch } from './tasks/following/keyless-watch.ts'
import { isLiveSocketPath, LiveEndpoint } from './live/endpoint.ts'
import { LiveLinks } from './sessions/tokens/links.ts'
import { McpEndpoint } from './mcp/endpoint/mcp-endpoint.ts'
import { Metrics } from './service/metrics.ts'
import { OriginGuard } from './routing/auth/origin.ts'
import { openPortal } from './portal/open.ts'
import { BrowserDialing } from './sessions/sockets/browser-dialing.ts'
import { Idempotency } from './routing/answers/idempotency.ts'
import type { Route } from './routing/route.ts'
import { hookRoutes } from './webhooks/routes.ts'
import { adminRoutes } from './service/admin-routes.ts'
import { agentRoutes } from './tasks/agent-routes.ts'
import { commandRoutes } from './commands/routes.ts'
import { credentialRoutes } from './credentials/routes.ts'
import { devtoolsRoutes } from './cdp/devtools-routes.ts'
import { fileRoutes } from './files/routes.ts'
import { liveRoutes } from './live/routes.ts'
import { assetRoutes } from './service/asset-routes.ts'
import { mcpRoutes } from './mcp/endpoint/routes.ts'
import { serviceRoutes } from './service/routes.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { taskRoutes } from './tasks/routes.ts'
import { tokenRoutes } from './sessions/tokens/routes.ts'
import { toolRoutes } from './commands/tool-routes.ts'
import { serviceAuditRoutes } from './service-audit/routes.ts'
import { chooseEngine, type Engine } from './server/engine.ts'
import { startHttpServer } from './server/server.ts'
import { SessionAdmission } from './sessions/admission.ts'
import { RequestAudit } from './service-audit/request-audit.ts'
import { SessionService } from './sessions/sessions.ts'
import { TasksBySession } from './tasks/by-session.ts'
import { isRecordsPath, RecordsEndpoint } from './tasks/following/endpoint.ts'
import { TaskOrders, type OrderDeps } from './tasks/orders.ts'
import { TaskRecords } from './tasks/records.ts'
import { TaskService } from './tasks/tasks.ts'
import { TaskAgents } from './mcp/endpoint/task-agents.ts'
import { SessionTokens } from './sessions/tokens/session-tokens.ts'
import { WrongKeys } from './routing/auth/wrong-keys.ts'
import type { SessionViews } from './sessions/session-views.ts'
import type { TaskViews } from './tasks/task-views.ts'

type GatewayConfig = WebhookSettings &
  Pick<
    Config,
    | 'HOST'
    | 'PORT'
    | 'SERVER_ENGINE'
    | 'ACCESS_SINGLE_OPERATOR'
    | 'JOB_PRIVATE_HOSTS'
    | 'PUBLIC_URL'
    | 'ALLOWED_ORIGINS'
    | 'ALLOW_DEV_KEY'
    | 'DEV_KEY'
    | 'DATA_DIR'
    | 'WS_REQUIRE_KEY'
    | 'TENANT_SHARE_PERCENT'
    | 'MAX_DURATION_MINUTES'
    | 'MAX_IDLE_MINUTES'
  >

export interface GatewayDeps extends OrderDeps {
  readonly scopedAccess: ScopedAccessDeps
  readonly schemas: Pick<OutputSchemas, 'check' | 'fit'>
  readonly config: GatewayConfig
  readonly incarnation: Incarnation
  readonly machine: string
  readonly log: Logger
  readonly clock: Clock
  readonly bus: Bus & MessageSubscriber
  readonly directory: Pick<Directory, 'ask' | 'create'>
  readonly membership: Pick<Membership, 'hosts' | 'clockSkews'>
  readonly views: SessionViews
  readonly taskViews: TaskViews
  readonly endpointViews: Pick<ViewIndex<EndpointView>, 'list' | 'learn'>
  /** Public records of tasks, their screenshots, and the service's audit. */
  readonly store: {
    readonly steps: LogStore
    readonly pictures: LogStore
    readonly serviceAudit: Pick<LogStore, 'last' | 'read'>
  }
  readonly keys: KeySource
  readonly credentials: Credentials
  /** Records of requests that had an Idempotency-Key. */
  readonly idempotency: Bucket
  readonly serviceSecret: ServiceSecret
  readonly serviceAudit: Pick<ServiceAudit, 'add' | 'addRepeated'>
}

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
  const { config } = deps
  const engine = chooseEngine(config.SERVER_ENGINE)
  const onLoopback = isLoopback(config.HOST)
  const origins = new OriginGuard({
    host: config.HOST,
    publicUrl: config.PUBLIC_URL,
    allowedOrigins: config.ALLOWED_ORIGINS,
  })
  const devKeyRule = new DevKeyRule(config, origins)
  const health = new Health(deps.membership)
  const audit = new RequestAudit(deps)
  const attachments = new Attachments(deps)
  const keyValidity = new KeyValidity(deps.keys, deps.clock, deps.serviceSecret)
  const reach = new BrowserDialing({ ...deps, attachments })
  const cdp = new CdpEndpoint({ ...deps, attachments, reach, keyValidity, audit })
  const own = { host: urlHost(config.HOST), port: config.PORT }
  const addresses = new ServiceUrls(config.PUBLIC_URL, () => `${own.host}:${own.port}`)
  const admission = new SessionAdmission({ ...deps, keyValidity, health })
  const sessions = new SessionService({ ...deps, attachments, admission })
  const commands = new CommandDispatcher({ ...deps, attachments })
  const files = new AgentFiles({ ...deps, attachments })
  const tasksBySession = new TasksBySession(deps.taskViews)
  const orders = new TaskOrders(deps)
  const tasks = new TaskService({ ...deps, tasksBySession, sessions, admission, orders })
  const links = new LiveLinks({ ...deps, addresses, keyValidity })
  const live = new LiveEndpoint({
    ...{ ...deps, attachments, reach, links, keyValidity },
    ...{ commands, tasks, audit },
  })
  const mcp = new McpEndpoint((request) => app.handle(request), deps.log)
  const sessionTokens = new SessionTokens({ ...deps, keyValidity })
  const wrongKeys = new WrongKeys(deps.clock, config)
  const auth = new Authenticator({ ...deps, devKeyRule, keyValidity, sessionTokens, wrongKeys })
  const records = new RecordsEndpoint({
    ...{ ...deps, steps: deps.store.steps, auth, sessions, tasks },
    ...{ keyValidity, keyless: new KeylessWatch(config) },
  })
  const access = openAccess({
    ...{ ...deps, ...deps.scopedAccess, orders, models: deps.access },
    ...{ sessions, commands, addresses },
  })
  const idempotency = new Idempotency({ ...deps, bucket: deps.idempotency })
  const portal = openPortal({
    ...{ ...deps, idempotency, addresses, services: access.services, routes: access.routes },
    singleOperator: config.ACCESS_SINGLE_OPERATOR,
  })
  const metrics = new Metrics({ ...deps, cdp, live, records, access: access.counts })

  const routes: Route[] = [
    ...sessionRoutes({ ...deps, tasksBySession, sessions, addresses, links }),
    ...commandRoutes(commands),
    ...toolRoutes({ ...deps, commands, sessions }),
    ...agentRoutes({ ...deps, tasks, sessions }),
    ...taskRoutes({ ...deps, tasks, records: new TaskRecords(deps.store) }),
    ...fileRoutes({ files, commands, addresses }),
    ...credentialRoutes({ ...deps, addresses }),
    ...access.routes,
    ...hookRoutes({ ...deps, ...deps.scopedAccess, rules: webhookRules(config) }),
    ...portal.routes,
    ...devtoolsRoutes({ attachments, addresses }),
    ...liveRoutes({ ...deps, sessions, links }),
    ...adminRoutes({ ...deps, sessions, admission, tasksBySession }),
    ...serviceAuditRoutes(deps.store.serviceAudit),
    ...tokenRoutes({ ...deps, sessions, addresses, links, tokens: sessionTokens }),
    ...assetRoutes(),
    ...mcpRoutes({ mcp, addresses, agents: new TaskAgents(deps.bus) }),
    ...serviceRoutes({
      addresses,
      engine,
      health,
      metrics,
      devKeyRule,
      metricsNeedKey: !onLoopback,
      routes: () => routes,
    }),
  ]
  const app = new App({
    routes,
    sockets: socketEndpoints(auth, cdp, live, records),
    auth,
    access: access.gate,
    idempotency,
    errorPages: portal.errors,
    metrics,
    audit,
    clock: deps.clock,
    log: deps.log,
    origins,
  })
  const server = await startHttpServer(engine, {
    host: config.HOST,
    port: config.PORT,
    handle: (request) => app.handle(request),
    upgrade: (request) => app.upgrade(request),
    // Larger than the limit of one message, so that larger messages are refused there with a
    // reason.
    bounds: [
      { path: '/ws', messageBytes: 2 * limits.feedMessageBytes },
      { path: '/live/*', messageBytes: 2 * limits.liveTextBytes },
    ],
  }).catch(async (error: unknown) => {
    await Promise.all([cdp.drain(), live.drain(), records.drain()])
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
      server.stop()
      tasks.drain()
      await Promise.all([mcp.drain(), cdp.drain(), live.drain(), records.drain()])
      await files.close()
      access.close()
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
      isKeyed: true,
      serves: isCdpPath,
      async open(request) {
        const grant = auth.bySocket(request)
        return { handler: await cdp.connect(request, grant), keyId: grant.keyId }
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
