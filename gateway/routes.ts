/** The routes of all features, in the order in which `/openapi.json` lists them. */
import { webhookRules } from '../runtime/webhooks/settings.ts'
import { isLoopback } from '../runtime/lib/network/hosts.ts'
import type { McpEndpoint } from './mcp/endpoint/mcp-endpoint.ts'
import type { Route } from './routing/route.ts'
import { tenantWebhookRoutes } from './webhooks/routes.ts'
import { adminRoutes } from './service/admin-routes.ts'
import { hostRoutes } from './service/admin/host-routes.ts'
import { keyRoutes } from './service/admin/key-routes.ts'
import { agentRoutes } from './tasks/agent-routes.ts'
import { commandRoutes } from './commands/routes.ts'
import { credentialRoutes } from './credentials/routes.ts'
import { docsRoutes } from './docs/routes.ts'
import { devtoolsRoutes } from './cdp/devtools-routes.ts'
import { inspectorRoutes } from './inspector/inspector-routes.ts'
import { fileRoutes } from './files/routes.ts'
import { liveRoutes } from './live/routes.ts'
import { assetRoutes } from './service/asset-routes.ts'
import { ProfileSaver } from './profiles/profile-saver.ts'
import { ExtensionUploads } from './extensions/extension-uploads.ts'
import { extensionRoutes } from './extensions/routes.ts'
import { profileRoutes } from './profiles/routes.ts'
import { loginRoutes } from './logins/routes.ts'
import { mcpRoutes } from './mcp/endpoint/routes.ts'
import { serviceRoutes } from './service/routes.ts'
import { sessionEventRoutes } from './session-events/routes.ts'
import { recordingRoutes } from './recordings/routes.ts'
import { sharedRecordingRoutes } from './recordings/shared/routes.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { taskRoutes } from './tasks/routes.ts'
import { tokenRoutes } from './sessions/tokens/routes.ts'
import { traceRoutes } from './traces/routes.ts'
import { toolRoutes } from './commands/tool-routes.ts'
import { serviceAuditRoutes } from './service-audit/routes.ts'
import { usageRoutes } from './usage/routes.ts'
import type { Engine } from './server/engine.ts'
import type { GatewayDeps, GatewayServices } from './services.ts'
import { TaskRecords } from './tasks/records.ts'
import { TaskAgents } from './mcp/endpoint/task-agents.ts'

interface Server {
  readonly engine: Engine
  readonly mcp: McpEndpoint
}

export function gatewayRoutes(
  deps: GatewayDeps,
  services: GatewayServices,
  { engine, mcp }: Server,
): readonly Route[] {
  const { access, addresses, admission, audit, apiKeys, attachments, commands, devKeyRule, files } =
    services
  const { health, links, metrics, operatorConsole, portal, recordingLinks, sessions } = services
  const { auth, pageRequests, runningTasks, sessionTokens, storeReadings } = services
  const { tasks, tasksBySession } = services
  const records = new TaskRecords(deps.store)
  const routes: readonly Route[] = [
    ...sessionRoutes({ ...deps, tasksBySession, sessions, addresses, links }),
    ...commandRoutes(commands),
    ...toolRoutes({ ...deps, commands, sessions }),
    ...agentRoutes({ ...deps, tasks, runningTasks, sessions }),
    ...taskRoutes({ ...deps, tasks, records, tasksBySession }),
    ...sessionEventRoutes({ ...deps, sessions }),
    ...recordingRoutes({ ...deps, sessions, addresses }),
    ...sharedRecordingRoutes({ ...deps, sessions, recordingLinks, audit }),
    ...traceRoutes({ ...deps, sessions, tasks, records }),
    ...fileRoutes({ files, commands, addresses }),
    ...profileRoutes({ ...deps, sessions, saver: new ProfileSaver({ ...deps, attachments }) }),
    ...loginRoutes(deps),
    ...extensionRoutes({ ...deps, uploads: new ExtensionUploads(deps) }),
    ...credentialRoutes({ ...deps, addresses }),
    ...access.routes,
    ...tenantWebhookRoutes({ ...deps, ...deps.scopedAccess, rules: webhookRules(deps.config) }),
    ...portal.routes,
    ...operatorConsole.routes(() => routes),
    ...devtoolsRoutes({ attachments, addresses }),
    ...inspectorRoutes({ attachments, sessionTokens }),
    ...liveRoutes({ ...deps, sessions, links }),
    ...adminRoutes({ ...deps, sessions, admission, tasksBySession }),
    ...hostRoutes(deps),
    ...keyRoutes(apiKeys),
    ...usageRoutes(deps),
    ...serviceAuditRoutes(deps.store.serviceAudit),
    ...tokenRoutes({ ...deps, sessions, addresses, links, tokens: sessionTokens }),
    ...assetRoutes(),
    ...docsRoutes({ addresses, auth, pageRequests, routes: () => routes }),
    ...mcpRoutes({ mcp, addresses, agents: new TaskAgents(deps.bus) }),
    ...serviceRoutes({
      addresses,
      engine,
      health,
      metrics,
      storeReadings,
      devKeyRule,
      metricsNeedKey: !isLoopback(deps.config.HOST) || deps.config.PUBLIC_URL !== '',
      routes: () => routes,
    }),
  ]
  return routes
}
