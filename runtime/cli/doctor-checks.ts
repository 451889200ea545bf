/** What `troupe doctor` looks at, one function each. They look only; nothing is changed. */
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pino } from 'pino'
import type { Config } from '../config.ts'
import { connectNats } from '../nats/connection.ts'
import { findServer, serverVersion } from '../nats/server.ts'
import { findSandbox } from '../sandbox.ts'
import { keyFileOf, keyFileTrouble } from '../seal/seal-keys.ts'
import { openSealer } from '../seal/seal.ts'
import { holderOf } from '../supervisor/lock.ts'
import { chromiumVersion, nativeServer, output } from './probe.ts'

export type Finding =
  | { readonly state: 'ok'; readonly found: string }
  | { readonly state: 'warn' | 'fail'; readonly found: string; readonly mend: string }

type Check = (config: Config) => Promise<Finding>

const MiB = 2 ** 20
const GiB = 2 ** 30
const least = {
  openFiles: 4_096,
  shmBytes: 256 * MiB,
  memoryBytes: 1 * GiB,
  diskBytes: 1 * GiB,
} as const

const ok = (found: string): Finding => ({ state: 'ok', found })
const warn = (found: string, mend: string): Finding => ({ state: 'warn', found, mend })
const fail = (found: string, mend: string): Finding => ({ state: 'fail', found, mend })

const gib = (bytes: number) => `${(bytes / GiB).toFixed(1)} GiB`
const isRoot = () => process.getuid?.() === 0

async function node(): Promise<Finding> {
  await nativeServer()
  return ok(`${process.versions.node}, with native uWebSockets.js`)
}

async function chromium({ CHROMIUM_BIN }: Config): Promise<Finding> {
  const version = await chromiumVersion(CHROMIUM_BIN)
  const home = await mkdtemp(join(tmpdir(), 'troupe-doctor-'))
  const page = 'data:text/html,<p>curtain up</p>'
  const flags = ['--headless', '--no-first-run', '--disable-gpu', `--user-data-dir=${home}`]
  if (isRoot()) flags.push('--no-sandbox')
  try {
    const html = await output(CHROMIUM_BIN, [...flags, '--dump-dom', page])
    if (html.includes('<p>curtain up</p>')) return ok(`${version} starts and shows a page`)
    return fail(`${version} shows no page`, `try it: ${CHROMIUM_BIN} --headless --dump-dom ...`)
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function sandbox(): Promise<Finding> {
  const { on, why = '' } = findSandbox()
  if (on) return ok('Chromium runs in its sandbox')
  return warn(
    why,
    'sysctl -w kernel.unprivileged_userns_clone=1 (or apt-get install chromium-sandbox, as a plain user)',
  )
}

const desktopPrograms = { Xvfb: 'xvfb', openbox: 'openbox', x11vnc: 'x11vnc', xclip: 'xclip' }

async function desktop(): Promise<Finding> {
  const missing: string[] = []
  for (const [program, debianPackage] of Object.entries(desktopPrograms)) {
    await output('sh', ['-c', `command -v ${program}`]).catch(() => missing.push(debianPackage))
  }
  if (missing.length === 0) return ok(Object.keys(desktopPrograms).join(', '))
  return warn(
    `no ${missing.join(', ')}: no headful sessions`,
    `apt-get install ${missing.join(' ')}`,
  )
}

const scripts = [
  { name: 'Latin', language: 'en', debianPackage: 'fonts-noto-core' },
  { name: 'CJK', language: 'zh', debianPackage: 'fonts-noto-cjk' },
  { name: 'emoji', language: 'und-zsye', debianPackage: 'fonts-noto-color-emoji' },
]

async function fonts(): Promise<Finding> {
  const missing: (typeof scripts)[number][] = []
  for (const script of scripts) {
    const found = await output('fc-list', [`:lang=${script.language}`, 'family'])
    if (found === '') missing.push(script)
  }
  if (missing.length === 0) return ok(scripts.map(({ name }) => name).join(', '))
  return warn(
    `none for ${missing.map(({ name }) => name).join(', ')}: pages show boxes`,
    `apt-get install ${missing.map(({ debianPackage }) => debianPackage).join(' ')}`,
  )
}

async function nats(config: Config): Promise<Finding> {
  if (config.NATS_URL === '') {
    return ok(`nats-server ${await serverVersion(findServer(config.NATS_SERVER_BIN))}`)
  }
  const nc = await connectNats(config, 'doctor', pino({ level: 'silent' }))
  const { version, cluster } = nc.info ?? {}
  await nc.close()
  return ok(`nats-server ${version} at ${config.NATS_URL}${cluster ? `, cluster ${cluster}` : ''}`)
}

async function openFiles(): Promise<Finding> {
  const text = await output('sh', ['-c', 'ulimit -n'])
  const count = text === 'unlimited' ? Infinity : Number(text)
  if (count >= least.openFiles) return ok(`up to ${text}`)
  return warn(`up to ${text}`, `raise it: ulimit -n ${least.openFiles * 16}, or LimitNOFILE=`)
}

async function sharedMemory(): Promise<Finding> {
  const { bsize, blocks } = await statfs('/dev/shm')
  const bytes = bsize * blocks
  if (bytes >= least.shmBytes) return ok(gib(bytes))
  return warn(`${gib(bytes)}: pages may crash`, 'in a container: --shm-size=1g')
}

async function memory({ MAX_SESSIONS }: Config): Promise<Finding> {
  const info = await readFile('/proc/meminfo', 'utf8')
  const bytes = Number(/^MemAvailable:\s+(\d+) kB/m.exec(info)?.[1] ?? 0) * 1024
  const found = `${gib(bytes)} available, MAX_SESSIONS is ${MAX_SESSIONS}`
  if (bytes >= least.memoryBytes) return ok(found)
  return warn(found, 'lower MAX_SESSIONS and POOL_HEADLESS')
}

async function disk({ DATA_DIR }: Config): Promise<Finding> {
  const folder = existing(DATA_DIR)
  const { bsize, bavail } = await statfs(folder)
  const found = `${gib(bsize * bavail)} free for ${DATA_DIR}`
  return bsize * bavail >= least.diskBytes ? ok(found) : warn(found, 'choose another DATA_DIR')
}

function existing(folder: string): string {
  return existsSync(folder) ? folder : existing(dirname(folder))
}

async function secrets(config: Config): Promise<Finding> {
  const trouble = keyFileTrouble(config)
  if (trouble) return warn(trouble.found, trouble.mend)
  const keys = openSealer(config).keyIds()
  const where = config.SEAL_KEY === '' ? keyFileOf(config.DATA_DIR) : 'SEAL_KEY'
  if (keys.length > 0) return ok(`kept under key ${keys[0]} of ${where}`)
  if (config.NATS_URL === '') return ok('their key is made by the first start')
  return warn('no key here', `copy SEAL_KEY, or DATA_DIR/seal.key to ${where}, from another host`)
}

async function port({ HOST, PORT, DATA_DIR }: Config): Promise<Finding> {
  const where = `${HOST}:${PORT}`
  const error = await tryListening(HOST, PORT)
  if (error === undefined) return ok(`${where} is free`)
  const pid = holderOf(DATA_DIR)
  if (error.code === 'EADDRINUSE' && pid !== undefined) return ok(`${where}, by troupe (${pid})`)
  if (error.code === 'EADDRINUSE') return fail(`${where} is in use`, 'set another PORT')
  return fail(`${where}: ${error.message}`, 'set another HOST or PORT')
}

function tryListening(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', resolve)
    server.listen(port, host, () => server.close(() => resolve(undefined)))
  })
}

export const checks: Readonly<Record<string, Check>> = {
  Node: node,
  Chromium: chromium,
  sandbox,
  desktop,
  fonts,
  NATS: nats,
  'open files': openFiles,
  '/dev/shm': sharedMemory,
  memory,
  disk,
  secrets,
  port,
}
