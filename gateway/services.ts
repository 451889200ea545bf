/**
 * Creates the services that the routes and sockets of a gateway use; each group depends on those
 * before it.
 */
import { isAccessId } from '../proto/access/ids.ts'
import type { Logger } from 'pino'
import { buckets } from '../proto/subjects.ts'
import { bucketStream } from '../runtime/store/nats/stream-plan.ts'
import type { EndpointView } from '../proto/access/webhooks/endpoint.ts'
import type { Incarnation } from '../proto/ids.ts'
import type { MessageSubscriber, Bus } from '../runtime/store/bus.ts'
import type { Clock } from '../runtime/lib/clock.ts'
import type { Config } from '../runtime/config/config.ts'
import type { Credentials } from '../runtime/accounts/credentials/open.ts'
import type { Directory } from '../runtime/actor/directory.ts'
import type { Membership } from '../runtime/cluster/membership.ts'
import type { OutputSchemas } from '../runtime/lib/schemas/output-schemas.ts'
import type { Bucket, LogStore, StreamUsage } from '../runtime/store/store.ts'
import { isFinal } from '../proto/session/session.ts'
import { isTaskOver } from '../proto/task/task.ts'
import type { ViewIndex } from '../runtime/actor/views.ts'
import type { LetterheadSettings } from './access/reports/letterhead.ts'
import type { WebhookSettings } from '../runtime/webhooks/settings.ts'
import type { ServiceAudit } from '../runtime/service-audit/writer.ts'
import { KeyUses } from '../runtime/accounts/keys/key-uses.ts'
import type { ExtensionRecords } from '../runtime/extensions/extension-records.ts'
import type { ProfileRecords } from '../runtime/profiles/profile-records.ts'
import type { FillTickets } from '../runtime/site-logins/fill-tickets.ts'
import type { SiteLogins } from '../runtime/site-logins/site-logins.ts'
import type { ServiceSecret } from '../runtime/accounts/keys/service-secret.ts'
import { openAccess, type ScopedAccessDeps } from './access/open.ts'
import type { ServiceUrls } from './routing/service-urls.ts'
import { Authenticator } from './routing/auth/auth.ts'
import { Attachments } from './sessions/sockets/attachments.ts'
import { CdpEndpoint } from './cdp/endpoint.ts'
import { OwnSessions } from './cdp/own-session.ts'
import { CommandDispatcher } from './commands/command-dispatcher.ts'
import { InitialState } from './commands/initial-state.ts'
import { DevKeyRule } from './routing/auth/dev-key.ts'
import { AgentFiles } from './files/agent-files.ts'
import { Health } from './sessions/health.ts'
import { KeyValidity, type KeySource } from './routing/auth/key-validity.ts'
import { KeylessWatch } from './tasks/following/keyless-watch.ts'
import { LiveEndpoint } from './live/endpoint.ts'
import { LiveLinks } from './sessions/tokens/links.ts'
import { RecordingLinks } from './recordings/shared/recording-links.ts'
import { Metrics } from './service/metrics/metrics.ts'
import { ApiKeys } from './service/admin/api-keys.ts'
import { StoreReadings } from './service/metrics/store-readings.ts'
import { OriginGuard } from './routing/auth/origin.ts'
import { openConsole } from './console/open.ts'
import { PageRequests } from './console/session/page-requests.ts'
import { openPortal } from './portal/open.ts'
import { BrowserDialing } from './sessions/sockets/browser-dialing.ts'
import { AnswerRoom } from './routing/answers/answer-room.ts'
import { Idempotency } from './routing/answers/idempotency.ts'
import { ClientNoter } from './session-events/client-notes.ts'
import { SessionAdmission } from './sessions/admission.ts'
import { TenantShares } from '../runtime/store/tenant-shares.ts'
import { KeyTenants } from './routing/auth/key-tenants.ts'
import { StoreRoom, type StoreRoomDeps } from '../runtime/actor/store-room.ts'
import { RequestAudit } from './service-audit/request-audit.ts'
import { SessionService } from './sessions/sessions.ts'
import { TasksBySession } from './tasks/by-session.ts'
import { RecordsEndpoint } from './tasks/following/endpoint.ts'
import { TaskOrders, type OrderDeps } from './tasks/orders.ts'
import { TaskService } from './tasks/tasks.ts'
import { SessionTokens } from './sessions/tokens/session-tokens.ts'
import { WrongKeys } from './routing/auth/wrong-keys.ts'
import { EndedActors } from './routing/ended-actors.ts'
import { RunningViews } from './routing/running-views.ts'
import type { SessionViews } from './sessions/session-views.ts'
import type { TaskViews } from './tasks/task-views.ts'

type GatewayConfig = LetterheadSettings &
  WebhookSettings &
  Pick<
    Config,
    | 'HOST'
    | 'DATA_HOST'
    | 'PORT'
    | 'SERVER_ENGINE'
    | 'ACCESS_SINGLE_OPERATOR'
    | 'ACCESS_SEPARATION'
    | 'JOB_PRIVATE_HOSTS'
    | 'PUBLIC_URL'
    | 'ALLOWED_ORIGINS'
    | 'ALLOW_DEV_KEY'
    | 'DEV_KEY'
    | 'DATA_DIR'
    | 'WS_REQUIRE_KEY'
    | 'TENANT_SHARE_PERCENT'
    | 'STORE_MAX_MIB'
    | 'MAX_DURATION_MINUTES'
    | 'MAX_IDLE_MINUTES'
    | 'RECORD_SESSIONS'
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
  readonly membership: Pick<Membership, 'hosts' | 'clockSkews' | 'get' | 'onChange' | 'onDead'>
  readonly views: SessionViews
  readonly taskViews: TaskViews
  readonly archive: {
    /** Whether all that has ended can be found. */
    readonly isComplete: boolean
    readonly archivedBytes: StoreRoomDeps['archivedBytes']
  }
  readonly endpointViews: Pick<ViewIndex<EndpointView>, 'list' | 'learn'>
  /**
   * Streams of the store: public records of tasks, their screenshots, the service's audit; and how
   * full the store is.
   */
  readonly store: {
    readonly steps: LogStore
    readonly pictures: LogStore
    readonly serviceAudit: Pick<LogStore, 'last' | 'read'>
    usage(): Promise<readonly StreamUsage[]>
  }
  readonly keys: KeySource
  /** The bucket behind `keys`, in which keys are created and revoked. */
  readonly keyBucket: Bucket
  readonly credentials: Credentials
  readonly profiles: ProfileRecords
  readonly extensions: ExtensionRecords
  readonly siteLogins: SiteLogins
  readonly fillTickets: FillTickets
  /** Records of requests that had an Idempotency-Key. */
  readonly idempotency: Bucket
  readonly serviceSecret: ServiceSecret
  readonly serviceAudit: Pick<ServiceAudit, 'add' | 'addRepeated'>
}

export type GatewayServices = ReturnType<typeof openServices>

export function openServices(given: GatewayDeps, addresses: ServiceUrls) {
  const deps = { ...given, directory: new EndedActors(given) }
  const metrics = new Metrics()
  const callers = openCallers(deps, addresses)
  const sessions = openSessions(deps, { ...callers, timings: metrics.timings }, addresses)
  const tasks = openTasks(deps, sessions)
  const audit = new RequestAudit(deps)
  const sockets = openSockets(deps, { ...callers, ...sessions, ...tasks, audit })
  const people = openPeople(deps, { ...sessions, ...tasks }, addresses)
  const storeReadings = new StoreReadings(deps)
  metrics.watch({ ...deps, ...sockets, storeReadings, access: people.access.counts })
  const apiKeys = new ApiKeys({ ...deps, ...sessions })
  const operatorConsole = openConsole({
    ...{ ...deps, ...callers, ...sessions, ...tasks, audit, addresses, apiKeys, storeReadings },
    idempotency: people.idempotency,
    taskFeeds: sockets.records.feeds,
  })
  return {
    ...{ addresses, audit, metrics, operatorConsole, apiKeys, storeReadings },
    ...{ ...callers, ...sessions, ...tasks, ...sockets, ...people },
  }
}

/** Identifies callers by their origin, key or token. */
function openCallers(deps: GatewayDeps, addresses: ServiceUrls) {
  const { config } = deps
  const origins = new OriginGuard({
    host: config.HOST,
    publicUrl: config.PUBLIC_URL,
    allowedOrigins: config.ALLOWED_ORIGINS,
  })
  const devKeyRule = new DevKeyRule(config, origins)
  const keyValidity = new KeyValidity(deps.keys, deps.clock, deps.serviceSecret)
  const sessionTokens = new SessionTokens({ ...deps, keyValidity })
  const wrongKeys = new WrongKeys(deps.clock, config)
  const pageRequests = new PageRequests({ ...deps, addresses })
  const keyUses = new KeyUses(deps)
  const auth = new Authenticator({
    ...{ ...deps, devKeyRule, keyValidity, sessionTokens, wrongKeys, pageRequests, keyUses },
  })
  return { origins, devKeyRule, keyValidity, sessionTokens, pageRequests, auth }
}

/** Sessions, and operations on their browsers. */
function openSessions(
  deps: GatewayDeps,
  { keyValidity, timings }: ReturnType<typeof openCallers> & Pick<Metrics, 'timings'>,
  addresses: ServiceUrls,
) {
  const health = new Health(deps.membership)
  const attachments = new Attachments(deps)
  const reach = new BrowserDialing({ ...deps, attachments })
  const tenants = new KeyTenants({ ...deps, keyValidity })
  // Clients of scoped access come and go without keys.
  const hasOthers = (tenant: string) => isAccessId('client', tenant) || tenants.hasOthers(tenant)
  const shares = new TenantShares({ ...deps, hasOthers })
  const { viewMap } = deps.scopedAccess
  const room = new StoreRoom({ ...deps, ...deps.archive, shares, viewMap })
  const running = new RunningViews(deps.views, ({ status }) => isFinal(status))
  const admission = new SessionAdmission({ ...deps, running, tenants, health, room })
  const commands = new CommandDispatcher({ ...deps, attachments })
  const initialState = new InitialState(commands)
  const sessions = new SessionService({
    ...{ ...deps, running, attachments, admission, timings, initialState },
  })
  const files = new AgentFiles({ ...deps, attachments })
  const links = new LiveLinks({ ...deps, addresses, keyValidity })
  const recordingLinks = new RecordingLinks({ ...deps, addresses, keyValidity })
  return {
    ...{ health, attachments, reach, shares, running },
    ...{ admission, sessions, commands, files, links, recordingLinks },
  }
}

type SessionParts = ReturnType<typeof openSessions>

function openTasks(deps: GatewayDeps, { sessions, admission }: SessionParts) {
  const tasksBySession = new TasksBySession(deps.taskViews)
  const runningTasks = new RunningViews(deps.taskViews, ({ state }) => isTaskOver(state))
  const orders = new TaskOrders(deps)
  const tasks = new TaskService({ ...deps, tasksBySession, sessions, admission, orders })
  return { tasksBySession, runningTasks, orders, tasks }
}

type TaskParts = ReturnType<typeof openTasks>

function openSockets(
  deps: GatewayDeps,
  parts: ReturnType<typeof openCallers> & SessionParts & TaskParts & { audit: RequestAudit },
) {
  const { attachments, reach, links, commands, sessions, tasks, auth, keyValidity, audit } = parts
  const { runningTasks } = parts
  const noter = new ClientNoter(deps)
  const cdp = new CdpEndpoint({ ...deps, attachments, reach, keyValidity, audit, noter })
  const ownSessions = new OwnSessions({ sessions, cdp, audit })
  const live = new LiveEndpoint({
    ...{ ...deps, attachments, reach, links, keyValidity },
    ...{ commands, tasks, sessions, audit, noter },
  })
  const records = new RecordsEndpoint({
    ...{ ...deps, steps: deps.store.steps, auth, sessions, tasks, runningTasks },
    ...{ keyValidity, keyless: new KeylessWatch(deps.config) },
  })
  return { cdp, live, ownSessions, records }
}

/** Scoped access, and the portal for the people who use it. */
function openPeople(
  deps: GatewayDeps,
  { sessions, shares, commands, orders }: SessionParts & TaskParts,
  addresses: ServiceUrls,
) {
  const access = openAccess({
    ...{ ...deps, ...deps.scopedAccess, orders, shares, models: deps.access },
    ...{ sessions, commands, addresses },
  })
  const shareBytes = (tenant: string) => shares.bytesOf(tenant, bucketStream(buckets.idempotency))
  const answerRoom = new AnswerRoom({ ...deps, shareBytes })
  const idempotency = new Idempotency({ ...deps, bucket: deps.idempotency, room: answerRoom })
  const portal = openPortal({
    ...{ ...deps, idempotency, addresses, services: access.services, routes: access.routes },
    singleOperator: deps.config.ACCESS_SINGLE_OPERATOR,
  })
  return { access, answerRoom, idempotency, portal }
}
