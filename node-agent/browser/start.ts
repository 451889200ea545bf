/**
 * Starts the processes and folders of one Chromium: its proxy, then its display, then Chromium
 * itself.
 */
import { contained } from '../../runtime/lib/network/contained.ts'
import { defined } from '../../proto/defined.ts'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { limits } from '../../proto/limits.ts'
import { withDeadline, type Clock } from '../../runtime/lib/clock.ts'
import { pollUntil } from '../../runtime/lib/poll-until.ts'
import { killGroup, spawnGuarded, type GuardedProcess } from '../../runtime/process/guard.ts'
import type { BrowserFolders } from '../../runtime/browser-host/isolation/bubblewrap.ts'
import {
  receiveListener,
  sandboxPorts,
  ownNetwork,
  type ListenerHandle,
} from '../../runtime/browser-host/isolation/own-network.ts'
import type { BrowserCgroup } from '../bounds/browser-group.ts'
import { networkExtension } from '../network/extension.ts'
import { rulesExtension } from './setup/apply-setup.ts'
import { localeFiles } from './setup/locales.ts'
import { setupEnv, userAgentOf } from './setup/setup-shape.ts'
import type { EgressFilter } from '../network/egress.ts'
import { policyOf } from '../egress/policy.ts'
import { Display } from '../display/display.ts'
import { screenFor } from '../display/screen.ts'
import { xSocketOf } from '../display/x-socket.ts'
import { blobBytes } from '../../runtime/blobs/blob-client.ts'
import { CdpPipe } from '../cdp/cdp.ts'
import { makePipes, openAgentEnds, openBrowserEnds } from '../cdp/pipes.ts'
import { chromiumFlags, profilePreferences } from './flags.ts'
import { keptNotesOf, unpackProfile } from '../profiles/profile-archive.ts'
import { keptPreferencesOf } from '../profiles/profile-files.ts'
import type { BrowserRecord } from '../files/browser-record.ts'
import type { BrowserShape } from './shape.ts'
import { makeScratch, scratchOf, scratchPaths, type ScratchDirs } from '../files/scratch.ts'
import {
  removeFiles,
  watchBrowser,
  type DevtoolsEndpoint,
  type LaunchOptions,
  type RunningBrowser,
} from './running.ts'
import { nodeAgentLimits } from '../limits.ts'
import { chromiumLimits } from './limits.ts'

export async function startBrowser(options: LaunchOptions): Promise<RunningBrowser> {
  const { id, shape, root, egress, guard, clock } = options
  const scratch = scratchOf(root, id)
  // Registered before they exist: if this agent dies at any moment, the guard removes them.
  guard.hold(id, { paths: scratchPaths(scratch) })
  let proxy: EgressFilter | undefined
  let process: (GuardedProcess & { readonly cdp: CdpPipe }) | undefined
  let display: Display | undefined
  let cgroup: BrowserCgroup | undefined
  try {
    const record = await makeScratch(scratch, id)
    cgroup = options.groups?.make(id)
    const enter = cgroup?.enter ?? []
    await fillProfile(options, scratch, record)
    await makePipes(scratch)
    const { isolation } = options
    const { hasOwnNetwork } = isolation
    // With its own network, the browser reaches that proxy through its filter. Otherwise a filter
    // without policies adds the credentials, for which Chromium has no flag.
    const login = shape.proxy?.username ?? shape.proxy?.password
    if (login !== undefined && !hasOwnNetwork) {
      proxy = await egress.open({ upstream: shape.proxy, policies: [], port: 0 })
    }
    const loginPort = proxy?.port
    if (shape.desktop) {
      const screen = screenFor(shape.desktop)
      const env = (folder: string) => programEnv(folder, folder)
      display = await Display.open({ guard, clock, id, scratch, screen, isolation, enter, env })
      await record.update(display.cleanupRecord())
    }
    const userAgent = shape.setup && (await userAgentOf(shape.setup, options.chromium))
    process = run(options, scratch, { enter, proxy, display, userAgent })
    const { group, exited, cdp } = process
    if (!group) throw (await process.exited).error
    const egressFilter = hasOwnNetwork
      ? await openEgress(options, await receiveListener(process.child, limits.browserBootMs))
      : undefined
    proxy ??= egressFilter
    const said = watchStderr(process.child.stderr!)
    const resources = { scratch, display, cgroup, proxy }
    const watched = watchBrowser({ group, exited, cdp, stderrTail: said.tail }, resources, options)
    await record.update({ browser: group })
    const parts = { scratch, record, group, display, cgroup, loginPort, egressFilter }
    return { ...parts, listening: said.devtools, ...watched }
  } catch (error) {
    if (process?.group) killGroup(process.group)
    await process?.exited
    process?.cdp.close('it did not start')
    await display?.close()
    await proxy?.close()
    await cgroup?.remove()
    await removeFiles(options, scratch)
    throw error
  }
}

/** With the data of an earlier session, if there is some, and the preferences of this one. */
async function fillProfile(
  options: LaunchOptions,
  scratch: ScratchDirs,
  record: BrowserRecord,
): Promise<void> {
  const { shape, bus, dataDir } = options
  const { profile, downloads } = scratch
  const { source } = shape.profile ?? {}
  const isFilled = options.fill !== undefined || source !== undefined
  await options.fill?.(profile)
  if (source) {
    const bytes = await blobBytes({ bus, dataDir }, source)
    await unpackProfile(bytes, source.key, profile)
    const { origins } = await keptNotesOf(profile)
    await record.update({ origins })
  }
  const kept = isFilled ? await keptPreferencesOf(profile) : undefined
  const preferences = JSON.stringify(profilePreferences(shape, downloads, kept))
  await writeFile(join(profile, 'Default', 'Preferences'), preferences)
}

interface ProcessParts {
  /** Command-line prefix that puts the process into its control group. */
  readonly enter: readonly string[]
  readonly proxy: EgressFilter | undefined
  readonly display: Display | undefined
  readonly userAgent: string | undefined
}

function run(
  options: LaunchOptions,
  scratch: ScratchDirs,
  { enter, proxy, display, userAgent }: ProcessParts,
) {
  const { id, shape, chromium, isolation, guard, clock } = options
  const flags = chromiumFlags({
    shape,
    profile: scratch.profile,
    sandbox: isolation.sandbox,
    ...defined({ proxyServer: proxyServerOf(options, proxy), userAgent }),
    ...(isolation.hasOwnNetwork && { devtoolsPort: sandboxPorts.devtoolsPort }),
  })
  const network = isolation.hasOwnNetwork ? ownNetwork(scratch.devtools) : []
  const prefix = isolation.prefix(foldersOf(scratch, display, shape))
  const shared = display?.browserPrefix ?? []
  const [command, ...args] = [...enter, ...shared, ...network, ...prefix, chromium, ...flags]
  const ends = openBrowserEnds(scratch)
  try {
    const process = spawnGuarded(guard, command!, args, {
      key: id,
      paths: scratchPaths(scratch),
      cwd: scratch.home,
      env: {
        ...programEnv(scratch.home, isolation.mode === 'none' ? scratch.shortTmp : '/tmp'),
        ...(shape.setup && setupEnv(shape.setup)),
        XDG_DOWNLOAD_DIR: scratch.downloads,
        ...(display && { DISPLAY: `:${display.number}`, XAUTHORITY: scratch.authority }),
      },
      stdio: [
        ...(['ignore', 'ignore', 'pipe'] as const),
        ...ends.descriptors,
        ...(isolation.hasOwnNetwork ? (['ipc'] as const) : []),
      ],
      outlives: true,
    })
    const { out, into } = openAgentEnds(scratch)
    return { ...process, cdp: new CdpPipe(out, into, clock) }
  } finally {
    ends.close()
  }
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
  { profile, home, downloads, uploads, agent, extensions, tmp }: ScratchDirs,
  display: Display | undefined,
  { setup }: BrowserShape,
): BrowserFolders => ({
  // Chromium compiles the rules of an extension into the extension's folder.
  own: [profile, home, downloads, extensions],
  shown: [
    ...[uploads, agent, networkExtension, rulesExtension],
    ...(display ? [display.address.authority] : []),
  ],
  ...defined({ replaced: localeFiles(setup?.locale) }),
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
export function devtoolsOf(started: RunningBrowser): Promise<DevtoolsEndpoint> {
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
