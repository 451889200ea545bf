/**
 * Starts the processes and folders of one Chromium (its proxy, then its display, then Chromium
 * itself), watches them, and removes all of them at the end.
 */
import { contained } from '../../runtime/lib/network/contained.ts'
import { defined } from '../../proto/defined.ts'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import type { Logger } from 'pino'
import type { BrowserId } from '../../proto/ids.ts'
import { limits } from '../../proto/limits.ts'
import { withDeadline, type Clock } from '../../runtime/lib/clock.ts'
import { pollUntil } from '../../runtime/lib/poll-until.ts'
import {
  killGroup,
  spawnGuarded,
  type Guard,
  type GuardedProcess,
  type ProcessExit,
  type ProcessGroup,
} from '../../runtime/process/guard.ts'
import type { BrowserFolders } from '../../runtime/browser-host/isolation/bubblewrap.ts'
import type { Isolation } from '../../runtime/browser-host/isolation/isolation.ts'
import {
  receiveListener,
  sandboxPorts,
  ownNetwork,
  type ListenerHandle,
} from '../../runtime/browser-host/isolation/own-network.ts'
import type { BrowserCgroup } from '../bounds/browser-group.ts'
import type { BrowserGroups } from '../bounds/browser-groups.ts'
import { networkExtension } from '../network/extension.ts'
import type { Egress, EgressFilter } from '../network/egress.ts'
import { policyOf } from '../egress/policy.ts'
import type { ServicePorts } from '../egress/service-ports.ts'
import { Display } from '../display/display.ts'
import { screenFor } from '../display/screen.ts'
import { xSocketOf } from '../display/x-socket.ts'
import { CdpPipe } from '../cdp/cdp.ts'
import { chromiumFlags, profilePreferences } from './flags.ts'
import {
  makeScratch,
  writeScratchRecord,
  removeScratch,
  scratchOf,
  scratchPaths,
  type ScratchDirs,
} from '../files/scratch.ts'
import type { BrowserShape } from './shape.ts'
import { nodeAgentLimits } from '../limits.ts'
import { chromiumLimits } from './limits.ts'

export interface LaunchOptions {
  readonly id: BrowserId
  readonly shape: BrowserShape
  /** The folder that contains the folders of all browsers. */
  readonly root: string
  readonly chromium: string
  readonly isolation: Isolation
  readonly ports: ServicePorts
  readonly egress: Pick<Egress, 'open'>
  readonly guard: Guard
  readonly clock: Clock
  /** Set if each browser gets a control group. */
  readonly groups?: Pick<BrowserGroups, 'make'> | undefined
  readonly log: Logger
}

export interface BrowserExit extends ProcessExit {
  /** The end of its stderr output, for the log. */
  readonly stderr: string
  /** A sentence that says why it was ended: its display had failed, or it did not answer. */
  readonly failure?: string | undefined
  /** A sentence that names the exceeded limit, if the browser was ended for it. */
  readonly overrun?: string | undefined
}

export interface DevtoolsEndpoint {
  /** A loopback port, in the browser's own network or on the host. */
  readonly port: number
  /** The unix socket that is forwarded to that port, for a browser with its own network. */
  readonly socket?: string
  /** `/devtools/browser/<uuid>` */
  readonly path: string
}

/** Processes that have been started, but are not known to work yet. */
export interface StartedBrowser {
  readonly scratch: ScratchDirs
  readonly group: ProcessGroup
  readonly display: Display | undefined
  readonly cgroup: BrowserCgroup | undefined
  readonly cdp: CdpPipe
  readonly listening: Promise<DevtoolsEndpoint>
  /** Only for a browser with its own network: the filter that all its connections go through. */
  readonly egressFilter: EgressFilter | undefined
  readonly exited: Promise<BrowserExit>
  readonly release: () => Promise<void>
  /** Ends it because it exceeded a limit, which the sentence names. */
  readonly overrun: (why: string) => void
  /** Ends it because it is of no use any more; the sentence says why. */
  readonly fail: (why: string) => void
}

export async function startBrowser(options: LaunchOptions): Promise<StartedBrowser> {
  const { id, shape, root, egress, guard, clock, log } = options
  const scratch = scratchOf(root, id)
  const paths = scratchPaths(scratch)
  // Registered before they exist: if this agent dies at any moment, the guard removes them.
  guard.hold(id, { paths })
  let proxy: EgressFilter | undefined
  let process: GuardedProcess | undefined
  let display: Display | undefined
  let cgroup: BrowserCgroup | undefined
  try {
    await makeScratch(scratch, id)
    cgroup = options.groups?.make(id)
    const enter = cgroup?.enter ?? []
    const preferences = JSON.stringify(profilePreferences(shape, scratch.downloads))
    await writeFile(join(scratch.profile, 'Default', 'Preferences'), preferences)
    const { isolation } = options
    const { hasOwnNetwork } = isolation
    // With its own network, the browser reaches that proxy through its filter. Otherwise a filter
    // without policies adds the credentials, for which Chromium has no flag.
    const login = shape.proxy?.username ?? shape.proxy?.password
    if (login !== undefined && !hasOwnNetwork) {
      proxy = await egress.open({ upstream: shape.proxy, policies: [], port: 0 })
    }
    if (shape.desktop) {
      const screen = screenFor(shape.desktop)
      const env = (folder: string) => programEnv(folder, folder)
      display = await Display.open({ guard, clock, id, scratch, screen, isolation, enter, env })
      await writeScratchRecord(scratch, id, display.cleanupRecord())
    }
    process = run(options, scratch, { enter, proxy, display })
    const { group } = process
    if (!group) throw (await process.exited).error
    const egressFilter = hasOwnNetwork
      ? await openEgress(options, await receiveListener(process.child, limits.browserBootMs))
      : undefined
    proxy ??= egressFilter
    const resources = { guard, clock, log, id, paths, proxy, display, cgroup }
    const watched = watchProcess(process, group, resources)
    await writeScratchRecord(scratch, id, { browser: group, ...display?.cleanupRecord() })
    return { scratch, group, display, cgroup, egressFilter, ...watched }
  } catch (error) {
    if (process?.group) killGroup(process.group)
    await process?.exited
    await display?.close()
    await proxy?.close()
    await cgroup?.remove()
    await removeScratch({ id, paths, guard, clock, log, onRemoved: () => guard.release(id) })
    throw error
  }
}

interface ProcessParts {
  /** Command-line prefix that puts the process into its control group. */
  readonly enter: readonly string[]
  readonly proxy: EgressFilter | undefined
  readonly display: Display | undefined
}

function run(
  options: LaunchOptions,
  scratch: ScratchDirs,
  { enter, proxy, display }: ProcessParts,
) {
  const { id, shape, chromium, isolation, guard } = options
  const flags = chromiumFlags({
    shape,
    profile: scratch.profile,
    sandbox: isolation.sandbox,
    ...defined({ proxyServer: proxyServerOf(options, proxy) }),
    ...(isolation.hasOwnNetwork && { devtoolsPort: sandboxPorts.devtoolsPort }),
  })
  const network = isolation.hasOwnNetwork ? ownNetwork(scratch.devtools) : []
  const prefix = isolation.prefix(foldersOf(scratch, display))
  const shared = display?.browserPrefix ?? []
  const [command, ...args] = [...enter, ...shared, ...network, ...prefix, chromium, ...flags]
  return spawnGuarded(guard, command!, args, {
    key: id,
    paths: scratchPaths(scratch),
    cwd: scratch.home,
    env: {
      ...programEnv(scratch.home, isolation.mode === 'none' ? scratch.shortTmp : '/tmp'),
      XDG_DOWNLOAD_DIR: scratch.downloads,
      ...(display && { DISPLAY: `:${display.number}`, XAUTHORITY: scratch.authority }),
    },
    stdio: [
      ...(['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] as const),
      ...(isolation.hasOwnNetwork ? (['ipc'] as const) : []),
    ],
  })
}

/** With SOCKS, HTTP is a matter of browser and site; the way to another proxy is by HTTP. */
function proxyServerOf(
  { shape, isolation }: LaunchOptions,
  proxy: EgressFilter | undefined,
): string | undefined {
  const scheme = shape.proxy ? 'http' : 'socks5'
  if (isolation.hasOwnNetwork) return `${scheme}://127.0.0.1:${sandboxPorts.proxyPort}`
  return proxy ? `http://127.0.0.1:${proxy.port}` : shape.proxy?.server
}

/** Allows only public addresses until the browser is claimed. */
async function openEgress(
  { egress, shape }: LaunchOptions,
  listener: ListenerHandle,
): Promise<EgressFilter> {
  try {
    return await egress.open({ upstream: shape.proxy, policies: [policyOf({}, true)] }, listener)
  } catch (error) {
    listener.close()
    throw error
  }
}

/**
 * The folders that the browser sees in its own namespaces; files being received and our records are
 * not among them.
 */
const foldersOf = (
  { profile, home, downloads, uploads, agent, tmp }: ScratchDirs,
  display: Display | undefined,
): BrowserFolders => ({
  own: [profile, home, downloads],
  shown: [uploads, agent, networkExtension, ...(display ? [display.address.authority] : [])],
  tmp,
  // The X server also has an abstract socket (a name without a file), which exists in one network
  // only.
  sockets: display ? [{ from: display.address.xSocket, at: xSocketOf(display.number) }] : [],
  sharesMemory: display !== undefined,
})

/** Contains only what the programs need: the agent's own environment holds credentials. */
function programEnv(home: string, tmp: string): NodeJS.ProcessEnv {
  const { PATH, LANG, LC_ALL, TZ } = process.env
  return {
    PATH,
    LANG: LANG ?? 'C.UTF-8',
    ...defined({ LC_ALL, TZ }),
    HOME: home,
    TMPDIR: tmp,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_DATA_HOME: join(home, '.local', 'share'),
    XDG_RUNTIME_DIR: tmp,
    DBUS_SESSION_BUS_ADDRESS: 'disabled:',
  }
}

interface BrowserResources extends Pick<ProcessParts, 'display'> {
  /** The proxy or filter that the browser connects through, closed with the browser. */
  readonly proxy: Pick<EgressFilter, 'close'> | undefined
  readonly guard: Guard
  readonly clock: Clock
  readonly log: Logger
  readonly id: BrowserId
  readonly paths: readonly string[]
  readonly cgroup: BrowserCgroup | undefined
}

/**
 * Watches the new process: opens its CDP pipe, reads its DevTools address, and handles its exit.
 */
function watchProcess(process: GuardedProcess, group: ProcessGroup, resources: BrowserResources) {
  const { guard, clock, log, id, paths, proxy, display, cgroup } = resources
  const [, , stderr, toBrowser, fromBrowser] = process.child.stdio as readonly unknown[]
  const cdp = new CdpPipe(toBrowser as Writable, fromBrowser as Readable, clock)
  const said = watchStderr(stderr as Readable)
  // A browser is unusable without its display.
  void display?.lost.then(() => killGroup(group))
  let overrun: string | undefined
  let failure: string | undefined
  const exited = process.exited.then(async (exit) => {
    cdp.close('the browser has ended')
    overrun ??= cgroup?.overrun()
    return { ...exit, stderr: said.tail(), overrun, failure: failure ?? (await display?.failure()) }
  })
  let released: Promise<void> | undefined
  const release = () =>
    (released ??= (async () => {
      killGroup(group)
      // The display is closed at the same time, so that the end of the browser's X clients is not
      // reported as a display failure.
      await Promise.all([exited, display?.close()])
      await proxy?.close()
      await cgroup?.remove()
      await removeScratch({ id, paths, guard, clock, log, onRemoved: () => guard.release(id) })
    })())
  const endings = {
    overrun(why: string) {
      overrun ??= why
      killGroup(group)
    },
    fail(why: string) {
      failure ??= why
      killGroup(group)
    },
  }
  return { cdp, exited, listening: said.devtools, release, ...endings }
}

function watchStderr(stderr: Readable) {
  let text = ''
  const devtools = new Promise<DevtoolsEndpoint>((resolve) => {
    stderr.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-chromiumLimits.browserStderrChars)
      const match = /DevTools listening on ws:\/\/[^/]*:(\d+)(\/\S+)/.exec(text)
      if (match) resolve({ port: Number(match[1]), path: match[2]! })
    })
  })
  return { devtools, tail: () => text }
}

/**
 * Resolves with the DevTools address; rejects if the browser ends or does not report it in time.
 */
export function devtoolsOf(started: StartedBrowser): Promise<DevtoolsEndpoint> {
  const { listening, exited, egressFilter, scratch, cdp } = started
  const { clock } = cdp
  const ended = exited.then(({ code, signal }) => {
    throw new Error(`it ended with ${signal ?? `code ${code}`}`)
  })
  const there = egressFilter ? reachable(listening, scratch.devtools, clock) : listening
  const silent = () => new Error(`no word within ${limits.browserBootMs} ms`)
  return withDeadline(clock, limits.browserBootMs, Promise.race([there, ended]), silent)
}

/**
 * The forwarding process creates the socket a moment after it has started, and listens on it later.
 */
async function reachable(
  listening: Promise<DevtoolsEndpoint>,
  socket: string,
  clock: Clock,
): Promise<DevtoolsEndpoint> {
  const devtools = await listening
  const times = { everyMs: nodeAgentLimits.displayPollMs, withinMs: limits.browserBootMs }
  await pollUntil(clock, times, () => answers(socket))
  return { ...devtools, socket }
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = contained(connect({ path }))
    const tell = (is: boolean) => {
      probe.destroy()
      resolve(is)
    }
    probe.once('connect', () => tell(true)).once('error', () => tell(false))
  })
}
