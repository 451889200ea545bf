/** The checks of `troupe doctor`, one function each. They leave nothing behind. */
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pino } from 'pino'
import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import { connectNats } from '../../store/nats/connection.ts'
import { findServer, serverVersion, syncsAlways } from '../../store/nats/server/server.ts'
import { findIsolation, InsufficientIsolation } from '../../browser-host/isolation/isolation.ts'
import { keyFileOf, keyFileProblem } from '../../accounts/seal/seal-keys.ts'
import { openSealer } from '../../accounts/seal/seal.ts'
import { describeDelegation, findDelegation } from '../../process/cgroups/delegation.ts'
import { folderProblem } from '../../process/machine/folder-probe.ts'
import { leftoverFolders } from '../../process/machine/leftovers.ts'
import { listenError, portHolder } from '../../process/machine/port.ts'
import { lockHolderOf } from '../../process/supervisor/lock.ts'
import { isFull } from '../../store/store.ts'
import { cliLimits } from '../limits.ts'
import { liveHosts } from '../hosts/live-hosts.ts'
import { withStore } from '../with-store.ts'
import { holderText } from '../start/preflight.ts'
import { chromiumVersion, describeIsolation, programOutput, serverEngine } from './probe.ts'
import { readRequirements, type NeededFont, type NeededProgram } from './requirements.ts'

export type CheckResult =
  | { readonly state: 'ok'; readonly found: string }
  | { readonly state: 'warn' | 'fail'; readonly found: string; readonly fix: string }

type Check = (config: Config) => Promise<CheckResult>

const MiB = 2 ** 20
const GiB = 2 ** 30
const least = {
  openFiles: 4_096,
  shmBytes: 256 * MiB,
  memoryBytes: 1 * GiB,
  diskBytes: 1 * GiB,
} as const

const ok = (found: string): CheckResult => ({ state: 'ok', found })
const warn = (found: string, fix: string): CheckResult => ({ state: 'warn', found, fix })
const fail = (found: string, fix: string): CheckResult => ({ state: 'fail', found, fix })

const gib = (bytes: number) => `${(bytes / GiB).toFixed(1)} GiB`
const isRoot = () => process.getuid?.() === 0

async function node({ SERVER_ENGINE }: Config): Promise<CheckResult> {
  return ok(`${process.versions.node}, serving with ${await serverEngine(SERVER_ENGINE)}`)
}

async function chromium({ CHROMIUM_BIN }: Config): Promise<CheckResult> {
  const version = await chromiumVersion(CHROMIUM_BIN)
  const home = await mkdtemp(join(tmpdir(), 'troupe-doctor-'))
  const page = 'data:text/html,<p>curtain up</p>'
  const flags = ['--headless', '--no-first-run', '--disable-gpu', `--user-data-dir=${home}`]
  if (isRoot()) flags.push('--no-sandbox')
  try {
    const html = await programOutput(CHROMIUM_BIN, [...flags, '--dump-dom', page])
    if (html.includes('<p>curtain up</p>')) return ok(`${version} starts and shows a page`)
    return fail(
      `${version} does not show a page`,
      `try it: ${CHROMIUM_BIN} --headless --dump-dom ...`,
    )
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function isolation(config: Config): Promise<CheckResult> {
  try {
    const isolation = findIsolation(config)
    const { missing } = isolation
    if (missing.length === 0) return ok(describeIsolation(isolation))
    return warn(missing.map(({ why }) => why).join('; '), missing[0]!.fix)
  } catch (error) {
    if (error instanceof InsufficientIsolation) return fail(error.message, '')
    throw error
  }
}

/** The limits of browsers of the running service, or of one that would be started from here. */
async function bounds({ DATA_DIR }: Config): Promise<CheckResult> {
  const pid = lockHolderOf(DATA_DIR) ?? process.pid
  const found = findDelegation({ pid, firstPid: pid })
  const text = describeDelegation(found)
  return found.type === 'none'
    ? warn(text, `for limits enforced by the kernel, ${found.fix}`)
    : ok(text)
}

const { programs: neededPrograms, fonts: neededFonts } = readRequirements()
/** These have their own checks, which also run them. */
const checkedAlone = ['chromium', 'nats-server']

async function programs(): Promise<CheckResult> {
  const missing = await missingFor('service')
  if (missing.length === 0) return ok('all that the service needs')
  return warn(`no ${programNames(missing)}`, aptGet(missing))
}

async function desktop(): Promise<CheckResult> {
  const missing = await missingFor('desktop')
  if (missing.length === 0) {
    return ok(programNames(neededPrograms.filter(({ usedBy }) => usedBy === 'desktop')))
  }
  return warn(`no ${programNames(missing)}: no headful sessions`, aptGet(missing))
}

/** Not installed unless somebody wants it, so it is no fault. */
async function recording(): Promise<CheckResult> {
  const missing = await missingFor('recording')
  if (missing.length === 0) return ok('ffmpeg')
  return ok(`no ${programNames(missing)}: no recordings, until npm run setup -- recording`)
}

async function missingFor(user: NeededProgram['usedBy']): Promise<readonly NeededProgram[]> {
  const missing: NeededProgram[] = []
  for (const needed of neededPrograms) {
    if (needed.usedBy !== user || checkedAlone.includes(needed.program)) continue
    await programOutput('sh', ['-c', `command -v ${needed.program}`]).catch(() =>
      missing.push(needed),
    )
  }
  return missing
}

const programNames = (needed: readonly NeededProgram[]) =>
  needed.map(({ program }) => program).join(', ')

const aptGet = (missing: readonly { readonly debianPackage: string }[]) =>
  `apt-get install ${[...new Set(missing.map(({ debianPackage }) => debianPackage))].join(' ')}`

async function fonts(): Promise<CheckResult> {
  const missing: NeededFont[] = []
  for (const font of neededFonts) {
    // Without fontconfig, no font is found.
    const found = await programOutput('fc-list', [`:lang=${font.language}`, 'family']).catch(
      () => '',
    )
    if (found === '') missing.push(font)
  }
  const scripts = (fonts: readonly NeededFont[]) => fonts.map(({ script }) => script).join(', ')
  if (missing.length === 0) return ok(scripts(neededFonts))
  return warn(`none for ${scripts(missing)}: pages show boxes`, aptGet(missing))
}

async function nats(config: Config): Promise<CheckResult> {
  if (config.NATS_URL === '') {
    const version = await serverVersion(findServer(config.NATS_SERVER_BIN))
    return ofVersion(version, `nats-server ${version}`)
  }
  const nc = await connectNats(config, 'doctor', pino({ level: 'silent' }), { waitMs: 0 })
  const { version, cluster } = nc.info ?? {}
  await nc.close()
  const where = `at ${config.NATS_URL}${cluster ? `, cluster ${cluster}` : ''}`
  return ofVersion(version ?? '', `nats-server ${version} ${where}`)
}

/**
 * Older versions still work. Two of their vulnerabilities do not affect this service: it requires a
 * user (CVE-2023-47090), and only one account has JetStream (CVE-2025-30215).
 */
function ofVersion(version: string, found: string): CheckResult {
  if (syncsAlways(version)) return ok(found)
  const text = `${found}, whose last acknowledged writes may be lost with the machine’s power`
  return warn(text, 'install nats-server 2.10 or newer')
}

/** For what only a running service has. */
const ofService =
  (check: () => Promise<CheckResult>): Check =>
  async ({ NATS_URL, DATA_DIR }) => {
    const runs = NATS_URL !== '' || lockHolderOf(DATA_DIR) !== undefined
    return runs ? check() : ok('no service runs here')
  }

async function store(): Promise<CheckResult> {
  const full = (await withStore(({ usage }) => usage())).filter(isFull)
  if (full.length === 0) return ok('it has room')
  const names = full.map(({ stream }) => stream).join(', ')
  return warn(`${names} is full and refuses writes`, 'raise STORE_MAX_MIB')
}

/** What actor hosts have given up. */
async function actors(): Promise<CheckResult> {
  const hosts = await withStore(liveHosts)
  const failed = hosts.reduce((sum, { actors }) => sum + (actors?.failed ?? 0), 0)
  if (failed === 0) return ok('all can be loaded')
  const examples = hosts.flatMap(({ actors }) => actors?.failures ?? [])
  const shown = examples.map(({ kind, id, reason }) => `${kind} ${id} (${reason})`).join(', ')
  return warn(
    `${failed} cannot be loaded: ${shown}`,
    'update the service, or report it with the log of its actor host; a restart tries again',
  )
}

async function openFiles(): Promise<CheckResult> {
  const text = await programOutput('sh', ['-c', 'ulimit -n'])
  const count = text === 'unlimited' ? Infinity : Number(text)
  if (count >= least.openFiles) return ok(`up to ${text}`)
  return warn(
    `up to ${text}`,
    `raise the limit: ulimit -n ${least.openFiles * 16}, or LimitNOFILE=`,
  )
}

async function sharedMemory(): Promise<CheckResult> {
  const { bsize, blocks } = await statfs('/dev/shm')
  const bytes = bsize * blocks
  if (bytes >= least.shmBytes) return ok(gib(bytes))
  return warn(`${gib(bytes)}: pages may crash`, 'in a container: --shm-size=1g')
}

async function memory({ MAX_SESSIONS }: Config): Promise<CheckResult> {
  const info = await readFile('/proc/meminfo', 'utf8')
  const bytes = Number(/^MemAvailable:\s+(\d+) kB/m.exec(info)?.[1] ?? 0) * 1024
  const found = `${gib(bytes)} available, MAX_SESSIONS is ${MAX_SESSIONS}`
  if (bytes >= least.memoryBytes) return ok(found)
  return warn(found, 'lower MAX_SESSIONS and POOL_HEADLESS')
}

async function disk({ DATA_DIR }: Config): Promise<CheckResult> {
  const problem = await folderProblem(DATA_DIR)
  if (problem !== undefined) {
    const fix = 'set another DATA_DIR, or run this as the user that runs the service'
    return fail(`DATA_DIR=${DATA_DIR} cannot be written by this user (${problem})`, fix)
  }
  const folder = existing(DATA_DIR)
  const { bsize, bavail } = await statfs(folder)
  const found = `${gib(bsize * bavail)} free for ${DATA_DIR}`
  return bsize * bavail >= least.diskBytes ? ok(found) : warn(found, 'choose another DATA_DIR')
}

/** Of this host's agents; those of running browsers are not among them. */
async function leftovers({ DATA_DIR }: Config): Promise<CheckResult> {
  const left = await leftoverFolders(DATA_DIR)
  if (left.length === 0) return ok('no files of ended browsers')
  const shown = left.slice(0, cliLimits.leftoversShown).join(', ')
  return warn(
    `files of ${left.length} ended browsers: ${shown}`,
    'the node agent removes them at its start and tries again every minute; its log says why it cannot',
  )
}

function existing(folder: string): string {
  return existsSync(folder) ? folder : existing(dirname(folder))
}

async function secrets(config: Config): Promise<CheckResult> {
  const trouble = keyFileProblem(config)
  if (trouble) return warn(trouble.found, trouble.fix)
  const keys = openSealer(config).keyIds()
  const where = config.SEAL_KEY === '' ? keyFileOf(config.DATA_DIR) : 'SEAL_KEY'
  if (keys.length > 0) return ok(`encrypted with key ${keys[0]} of ${where}`)
  if (config.NATS_URL === '') return ok('their key is created at the first start')
  return warn('no key here', `copy SEAL_KEY, or DATA_DIR/seal.key to ${where}, from another host`)
}

async function port({ HOST, PORT }: Config): Promise<CheckResult> {
  const where = `${HOST}:${PORT}`
  const error = await listenError(HOST, PORT)
  if (error === undefined) return ok(`${where} is free`)
  if (error.code !== 'EADDRINUSE') {
    return fail(`${where}: ${error.message}`, 'set another HOST or PORT')
  }
  const holder = holderText(portHolder(PORT))
  if (await isTroupe(HOST, PORT)) return ok(`${where} is served by this service: ${holder}`)
  return fail(`${where} is in use by ${holder}`, 'stop that process, or set another PORT')
}

/** Also true for a gateway that another user runs, or that was started alone. */
async function isTroupe(host: string, port: number): Promise<boolean> {
  const name = /^[0.:]+$/.test(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  const signal = AbortSignal.timeout(cliLimits.probeMs)
  try {
    const response = await fetch(`http://${name}:${port}/health/live`, { signal })
    return aliveAnswer.safeParse(await response.json()).success
  } catch {
    // It speaks no HTTP, or answers something else.
    return false
  }
}

const aliveAnswer = z.object({
  data: z.object({ status: z.literal('alive'), version: z.string() }),
})

export const doctorChecks: Readonly<Record<string, Check>> = {
  Node: node,
  Chromium: chromium,
  isolation,
  bounds,
  programs,
  desktop,
  recording,
  fonts,
  NATS: nats,
  store: ofService(store),
  actors: ofService(actors),
  'open files': openFiles,
  '/dev/shm': sharedMemory,
  memory,
  disk,
  leftovers,
  secrets,
  port,
}
