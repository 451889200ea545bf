/**
 * Assembles one browser host: its pool, its sessions, and the verbs and the data port through which
 * they are used.
 */
import { availableParallelism } from 'node:os'
import type { BoundsKind, BrowserLoad, IsolationMode } from '../proto/host.ts'
import { makePrivateFolder } from '../runtime/lib/files/make-folder.ts'
import { Guard, startTimeOf, type ProcessGroup } from '../runtime/process/guard.ts'
import { findIsolation } from '../runtime/browser-host/isolation/isolation.ts'
import type { MemberRuntime } from '../runtime/process/role/member.ts'
import { ResourceBounds } from './bounds/bounds.ts'
import { findBrowserGroups } from './bounds/browser-groups.ts'
import { Browser } from './browser/browser.ts'
import { headfulShape, plainShape, shapeOf } from './browser/shape.ts'
import { runDir } from './files/scratch.ts'
import { CommandContexts } from './commands/command-contexts.ts'
import { CommandExecutor } from './commands/command-executor.ts'
import { commandContextPartsOf } from './commands/parts.ts'
import { loginValuesOver } from './logins/login-values.ts'
import { DataPort } from './data-port/data-port.ts'
import { BrowserPool } from './pool/pool.ts'
import { Reconciler } from './sessions/reconcile.ts'
import { RunningSaves } from './sessions/running-saves.ts'
import { Egress } from './network/egress.ts'
import { RefusalReports } from './network/refusal-reports.ts'
import { KnownPorts } from './network/known-ports.ts'
import { SessionTraces } from './traces/session-traces.ts'
import { openEventFiles } from './events/event-files.ts'
import { pageErrors } from './events/page-errors.ts'
import { SessionExchanges } from './events/session-exchanges.ts'
import { watchPages } from './events/watched-pages.ts'
import { SessionEvents } from './events/session-events.ts'
import { openSessionVideos } from './video/open.ts'
import type { SessionVideos } from './video/session-videos.ts'
import { openTraceFiles } from './traces/trace-files.ts'
import { hostedSessionLimits } from './sessions/limits.ts'
import { inherit, type InheritanceOptions } from './sessions/inheritance.ts'
import { HangWatch } from './sessions/hang-watch.ts'
import { Glances } from './sessions/glances.ts'
import { LastLooks } from './sessions/last-looks.ts'
import { BusSessionReports, type SessionReports } from './sessions/session-reports.ts'
import { AgentSessions, type SessionLog } from './sessions/sessions.ts'
import { takeBlocked } from './browser/setup/apply-setup.ts'
import { SessionUse } from './sessions/session-use.ts'
import { ServiceError } from '../proto/errors.ts'
import type { NodeVerbs } from '../proto/browser-host/node.ts'
import { newId } from '../proto/ids.ts'
import type { Config } from '../runtime/config/config.ts'
import type { LaunchOptions } from './browser/running.ts'
import { sweepLeftovers, type Heirloom } from './sessions/sweep.ts'
import { Tickets } from './data-port/tickets.ts'
import { serveVerbs } from './verbs/verbs.ts'
import { nodeAgentLimits } from './limits.ts'

export interface NodeAgent {
  readonly dataUrl: string
  readonly isolation: IsolationMode
  /** What is missing, and why. */
  readonly isolationLacks: readonly string[]
  readonly bounds: BoundsKind
  load(): BrowserLoad
  /** Makes the session actors end their sessions, then ends all browsers. */
  drain(): Promise<void>
}

export async function openNodeAgent(role: MemberRuntime): Promise<NodeAgent> {
  const { bus, clock, config, incarnation, lease, log, machine } = role
  const nodeId = config.NODE_ID
  const isolation = findIsolation(config)
  const isolationLacks = warnOfLacks(isolation, log)
  const guard = new Guard(supervisor())
  const dataPort = await DataPort.listen(config.DATA_HOST, config.DATA_PORT)
  const dataUrl = config.DATA_URL || urlOf(config.DATA_HOST, dataPort.port)
  const ports = new KnownPorts(role, dataPort.port)
  const egress = openEgress(role, guard, ports)
  const { launch, groups, heirlooms } = await launcher(role, { isolation, guard, ports, egress })
  const pool = new BrowserPool<Browser>({
    ...poolSettings(config),
    boot: (id, shape) => Browser.launch({ ...launch, id, shape }),
    clock,
    log,
    onChange: () => lease.touch(),
    onGone: (browser, exit) => reconciler.browserGone(browser, exit),
  })
  const address = { nodeId, incarnation, machine, dataUrl }
  const reports = new BusSessionReports(bus, clock)
  const records = sessionRecords(role, guard, reports)
  const sessions = new AgentSessions<Browser>(pool, address, records)
  const reconciler = new Reconciler({ sessions, reports, clock, log })
  const held = () => sessions.held()
  const refusalReports = new RefusalReports({ held, reports, clock, log })
  const hangWatch = new HangWatch({ held, clock, log })
  const bounds = new ResourceBounds({
    ...{ config, clock, log },
    root: runDir(config.DATA_DIR, nodeId),
    held: () => sessions.held().map(({ browser }) => browser),
  })
  const tools = sessionTools(sessions, records, role)
  const means = { address, sessions, pool, reports, reconciler, records }
  const inheritance = await succeed(launch, heirlooms, means)
  role.onFence(() => guard.disinherit())
  const state = stateOf(pool, lease)
  const saveRunning = runningSaves(launch, sessions)
  const verbs = serveVerbs({ bus, nodeId, sessions, saveRunning, ...tools, ...state, log })
  dataPort.serve({ tickets: new Tickets(sessions, clock), commands: verbs, log })
  return {
    dataUrl,
    isolation: isolation.mode,
    isolationLacks,
    bounds: groups ? 'kernel' : 'checks',
    load: () => ({ ...pool.load(), connections: egress.load }),
    async drain() {
      state.end()
      await reconciler.announceDrain()
      const parts = [inheritance, reconciler, bounds, hangWatch, tools, refusalReports]
      for (const part of parts) part.stop()
      await pool.close()
      await egress.close()
      groups?.close()
      verbs.stop()
      await dataPort.close()
      guard.stop()
    },
  }
}

/** Logs why parts of the isolation are missing, and returns it. */
function warnOfLacks({ missing }: ReturnType<typeof findIsolation>, log: MemberRuntime['log']) {
  const lacks = missing.map(({ why }) => why)
  for (const why of lacks) log.warn(why)
  return lacks
}

function runningSaves(
  launch: Omit<LaunchOptions, 'id' | 'shape'>,
  sessions: AgentSessions<Browser>,
) {
  const saves = new RunningSaves((fill) =>
    Browser.launch({ ...launch, id: newId('brw'), shape: plainShape, fill }),
  )
  return (request: NodeVerbs['save_profile']['request']) =>
    saves.save(sessions.browserOf(request), request)
}

/** It starts the next agent; undefined if this one was started otherwise. */
function supervisor(): ProcessGroup | undefined {
  const startTime = process.send && startTimeOf(process.ppid)
  return startTime === undefined ? undefined : { pgid: process.ppid, startTime }
}

/** Goes on with the sessions of the agent before this one. */
async function succeed(
  launch: Omit<LaunchOptions, 'id' | 'shape'>,
  heirlooms: readonly Heirloom[],
  parts: Pick<InheritanceOptions<Browser>, 'address' | 'pool' | 'reports' | 'reconciler'> & {
    readonly sessions: AgentSessions<Browser>
    readonly records: Pick<SessionRecords, 'finishLeft'>
  },
): Promise<{ stop(): void }> {
  const { guard, clock, log, graceSeconds, groups } = launch
  await inherit(heirlooms, {
    ...{ ...parts, guard, clock, log },
    withinMs: 1_000 * graceSeconds,
    adopt: (record, options) => {
      const shape = shapeOf(options)
      return Browser.adopt({ ...launch, id: record.browserId, shape }, record, options)
    },
    removeGroup: async ({ browserId }) => groups?.adopt(browserId)?.remove(),
  })
  parts.records.finishLeft()
  const { inheritedUncertainMs } = hostedSessionLimits
  const settled = clock.timer(inheritedUncertainMs, () => parts.sessions.forgetInheritance())
  return { stop: () => settled.cancel() }
}

const poolSettings = (config: Config) => ({
  kept: [
    { shape: plainShape, count: config.POOL_HEADLESS },
    { shape: headfulShape, count: config.POOL_HEADFUL },
    ...config.POOL_PRESETS.map(({ count, options }) => ({ shape: shapeOf(options), count })),
  ],
  sessionsMax: config.MAX_SESSIONS,
  queueSize: config.QUEUE_SIZE,
  bootsMax: Math.min(nodeAgentLimits.bootsAtOnce, availableParallelism()),
})

type ToldRecords = Pick<SessionRecords, 'events' | 'exchanges' | 'looks' | 'videos' | 'use'>

/** The tools that operate on the browsers of sessions. */
function sessionTools(
  sessions: AgentSessions<Browser>,
  { events, exchanges, looks, videos, use }: ToldRecords,
  { bus, clock, config, log }: MemberRuntime,
) {
  const traces = openTraceFiles(config, { clock, log })
  const ask = loginValuesOver(bus)
  const contexts = new CommandContexts((browser: Browser) => commandContextPartsOf(browser, ask))
  const commands = new CommandExecutor({
    benchOf: (request) => contexts.of(sessions.browserOf(request)),
    traces: new SessionTraces({ files: traces, tenantOf: (id) => sessions.tenantOf(id), clock }),
    ...{ events, clock, log },
  })
  const telling = use.tellRegularly(() => sessions.held())
  const stopped = [traces, events, exchanges, looks, videos, telling]
  const stop = () => stopped.forEach((part) => part.stop())
  const glances = new Glances(sessions, looks, clock)
  return { commands, traces, events, exchanges, videos, glances, stop }
}

/** What is kept of sessions: the log of what happens in each, and the videos of some. */
interface SessionRecords extends SessionLog<Browser> {
  readonly events: SessionEvents
  readonly exchanges: SessionExchanges
  readonly looks: LastLooks
  readonly videos: SessionVideos
  readonly use: SessionUse
  /** Goes on with what an earlier agent has left, once its sessions are known. */
  finishLeft(): void
}

function sessionRecords(
  { clock, config, log }: MemberRuntime,
  guard: Guard,
  reports: SessionReports,
): SessionRecords {
  const events = new SessionEvents({ files: openEventFiles(config, { clock, log }), clock, log })
  const exchanges = new SessionExchanges(config, { clock, log })
  const looks = new LastLooks({ config, clock, log })
  const videos = openSessionVideos(config, { guard, reports, clock, log })
  const use = new SessionUse({ reports, clock, log })
  return {
    ...{ events, exchanges, looks, videos, use },
    beforeRelease: (sessionId, tenant, browser) => looks.keep(sessionId, tenant, browser),
    useOf: (browser) => use.of(browser),
    tellUse: (sessionId, browser) => use.tell(sessionId, browser),
    begin(sessionId, tenant, browser, { options, use: before }) {
      const blocks = options.setup?.block !== undefined
      use.begin(browser, {
        before,
        takeBlocked: blocks ? (tell) => takeBlocked(browser.cdp, tell) : undefined,
      })
      events.begin(sessionId, tenant, browser)
      if (options.recording || options.tracing) {
        watchPages(browser, [
          pageErrors(clock, (event) => events.add(sessionId, event)),
          exchanges.begin(sessionId, tenant, browser),
        ])
      }
      videos.begin(sessionId, tenant, browser, options)
    },
    end(sessionId) {
      events.end(sessionId)
      exchanges.end(sessionId)
      videos.end(sessionId)
    },
    finishLeft() {
      videos.finishLeft().catch((err: unknown) => log.error({ err }, 'videos were left unfinished'))
    },
  }
}

/** Whether the agent may act for its sessions, and whether it accepts new ones. */
function stateOf(pool: BrowserPool<Browser>, lease: MemberRuntime['lease']) {
  let isEnding = false
  return {
    mayAct: () => lease.validWithin(nodeAgentLimits.leaseWaitMs),
    close() {
      pool.stopClaims()
      return lease.drain()
    },
    async reopen() {
      if (isEnding) throw new ServiceError('draining', 'This host is shutting down.')
      // Before the wait, during which the end may begin.
      pool.resumeClaims()
      await lease.undrain()
    },
    end() {
      isEnding = true
      pool.stopClaims()
    },
  }
}

/** The process through which restricted browsers connect; it knows the service's ports of now. */
function openEgress(role: MemberRuntime, guard: Guard, ports: KnownPorts): Egress {
  const { clock, config, log, membership } = role
  const settings = { connections: config.SESSION_CONNECTIONS, nameServers: config.DNS_SERVERS }
  const egress = new Egress({ guard, clock, log, settings })
  egress.ports = ports
  membership.onChange(() => (egress.ports = ports))
  return egress
}

/** Sweeps first, because leftovers of an earlier agent must be removed before browsers start. */
async function launcher(
  { bus, config, clock, log }: MemberRuntime,
  means: Pick<LaunchOptions, 'isolation' | 'guard' | 'ports' | 'egress'>,
) {
  const root = runDir(config.DATA_DIR, config.NODE_ID)
  makePrivateFolder(root)
  const graceSeconds = config.HOST_GRACE_SECONDS
  const { guard } = means
  const { heirlooms } = await sweepLeftovers(root, {
    guard,
    clock,
    log,
    inherits: graceSeconds > 0,
  })
  const groups = await findBrowserGroups({ config, root, guard, clock, log })
  const settings = { chromium: config.CHROMIUM_BIN, dataDir: config.DATA_DIR, graceSeconds }
  const launch = { root, ...settings, ...means, groups, bus, clock, log }
  return { launch, groups, heirlooms }
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
