import { decode } from '../../../proto/codec.ts'
import type { HostRecord } from '../../../proto/host.ts'
import { buckets } from '../../../proto/subjects.ts'
import { sleep, systemClock } from '../../lib/clock.ts'
import { loadConfig, type Config } from '../../config/config.ts'
import { findIsolation, type Isolation } from '../../browser-host/isolation/isolation.ts'
import { version } from '../../lib/package.ts'
import { openSealer } from '../../accounts/seal/seal.ts'
import { readSecretHosts, keyProblems } from '../../accounts/seal/shared-keys.ts'
import { StoreUnavailable, type Store } from '../../store/store.ts'
import { openProcessLog } from '../../process/role/process-log.ts'
import { ServiceManager } from '../../process/service-manager.ts'
import { Supervisor, type SupervisorEvent } from '../../process/supervisor/supervisor.ts'
import type { CliCommand } from '../command.ts'
import { openLogOutput } from './log-output.ts'
import {
  assertFreePort,
  assertNotRunning,
  assertUsableFolder,
  dataAddress,
  gatewayAddress,
} from './preflight.ts'
import { chromiumVersion, describeIsolation, serverEngine } from '../machine/probe.ts'
import { TerminalScreen } from '../terminal/screen.ts'
import { Signals } from './signals.ts'
import { welcomeLines } from './welcome.ts'
import { cliLimits } from '../limits.ts'

export const upCommand: CliCommand = {
  usage: 'up',
  about: 'Start the whole service on this machine: its store, an actor host, browsers, a gateway.',
  settings: [
    'PORT',
    'HOST',
    'SERVER_ENGINE',
    'PUBLIC_URL',
    'DATA_DIR',
    'POOL_HEADLESS',
    'POOL_HEADFUL',
    'POOL_PRESETS',
    'MAX_SESSIONS',
    'NATS_URL',
    'CHROMIUM_BIN',
    'LOG_LEVEL',
  ],
  examples: ['troupe up', 'PORT=9000 POOL_HEADLESS=5 troupe up', 'troupe up 2>>troupe.log'],
  async run() {
    const config = loadConfig()
    await assertUsableFolder(config)
    assertNotRunning(config)
    for (const address of [gatewayAddress(config), dataAddress(config)]) {
      await assertFreePort(config, address)
    }
    const screen = new TerminalScreen()
    screen.text([screen.title(`Troupe ${version}`)])
    const [chromium] = await Promise.all([
      chromiumVersion(config.CHROMIUM_BIN),
      serverEngine(config.SERVER_ENGINE),
    ])
    screen.done('installed', `Node ${process.versions.node}, Chromium ${chromium}`)
    showIsolation(findIsolation(config), screen)
    return await supervise(config, screen)
  },
}

function showIsolation(isolation: Isolation, screen: TerminalScreen): void {
  const { missing } = isolation
  if (missing.length === 0) return screen.done('isolation', describeIsolation(isolation))
  for (const { why, fix } of missing) screen.trouble('isolation', `${why} – ${fix}`)
}

async function supervise(config: Config, screen: TerminalScreen): Promise<number> {
  const output = openLogOutput(config.DATA_DIR)
  const log = openProcessLog(config, 'supervisor', output)
  const signals = new Signals()
  const manager = new ServiceManager((err) => log.warn({ err }, 'systemd was not told'))
  let gatewayUrl = ''
  const supervisor = await Supervisor.start(
    {
      config,
      log,
      writeLine: (line) => output.write(`${line}\n`),
      onEvent: (event) => {
        if (event.type === 'up' && typeof event.info['url'] === 'string') {
          gatewayUrl = event.info['url']
        }
        show(screen, event)
        if (event.type === 'ended') manager.status(`${event.child} ended: ${event.reason}`)
        if (event.type === 'up') manager.status(`${event.child} is up`)
      },
    },
    signals.first,
  )
  signals.onSecond(() => {
    supervisor.kill()
    process.exit(1)
  })
  await poolFilled(supervisor.store, config, screen, signals.first)
  if (!signals.first.aborted) {
    await showKeyProblems(supervisor.store, config, screen)
    const base = config.PUBLIC_URL || gatewayUrl
    screen.text(welcomeLines(screen, { config, base, logPath: output.path }))
    manager.ready(`up at ${base}`)
    await signals.stop
  }
  manager.stopping()
  await supervisor.stop()
  screen.text(['Stopped.'])
  return 0
}

/** If the store is unavailable, the service continues: the roles log the same problem. */
async function showKeyProblems(
  store: Store,
  config: Config,
  screen: TerminalScreen,
): Promise<void> {
  const secretHosts = await readSecretHosts(store).catch((error: unknown) => {
    if (error instanceof StoreUnavailable) return []
    throw error
  })
  const troubles = keyProblems(config, openSealer(config).keyIds(), secretHosts)
  for (const text of troubles) screen.trouble('secrets', text)
}

function show(screen: TerminalScreen, event: SupervisorEvent): void {
  const { child } = event
  switch (event.type) {
    case 'starting':
      return screen.progress(child, 'starting')
    case 'up': {
      return screen.done(child, running(event.info))
    }
    case 'ended':
      if (event.waitMs === undefined) return
      return screen.trouble(
        child,
        `ended (${event.reason}); restarting in ${(event.waitMs / 1_000).toFixed(1)} s`,
      )
    case 'stopping':
      return screen.progress(child, 'stopping')
    case 'waiting':
      return screen.trouble(child, event.why)
    default:
      return event satisfies never
  }
}

function running({ version, url, server }: Record<string, unknown>): string {
  if (version) return `version ${version}`
  if (!url) return 'up'
  return server ? `${url} (${server})` : String(url)
}

/**
 * Resolves when this host's browsers are warm, or after a limited time: until then the service
 * works, but slower.
 */
async function poolFilled(store: Store, config: Config, screen: TerminalScreen, stop: AbortSignal) {
  const presets = config.POOL_PRESETS.reduce((sum, { count }) => sum + count, 0)
  const wanted = config.POOL_HEADLESS + config.POOL_HEADFUL + presets
  const enough = new AbortController()
  const watch = await store.bucket(buckets.hosts).watch((change) => {
    if (change.type !== 'put') return
    const { nodeId, state, browsers } = decode<HostRecord>(change.value)
    if (nodeId !== config.NODE_ID || state !== 'alive' || !browsers) return
    screen.progress('browsers', `${browsers.warm} of ${wanted} warm`)
    if (browsers.warm >= wanted) enough.abort()
  })
  await sleep(systemClock, cliLimits.poolFillMs, AbortSignal.any([enough.signal, stop]))
  watch.stop()
  if (stop.aborted) return
  if (enough.signal.aborted) screen.done('browsers', `${wanted} warm`)
  else
    screen.trouble(
      'browsers',
      `not all ${wanted} are warm yet; \`npm run troupe -- doctor\` can say why`,
    )
}
