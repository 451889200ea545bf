/**
 * The whole service as a user starts it: `troupe up` in its own process, with its own data folder
 * and ports. `stop` also checks what every test promises: no process and no folder is left.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devKey } from '../../../proto/accounts/dev-key.ts'
import type { Role } from '../../../proto/ids.ts'
import { programPath } from '../../../runtime/process/programs.ts'
import { isolationHere } from './isolation-here.ts'
import { addWitness } from '../lib/witnesses.ts'
import { descendantsOf, isRunning, processesNaming } from '../lib/processes.ts'
import { noteStart } from '../lib/times.ts'
import { serverEngine } from './server-engine.ts'
import { until } from '../lib/until.ts'

export const troupe = programPath('troupe')

/** The programs that the supervisor keeps running. */
type Program = Role | 'nats-server'

export interface Service {
  readonly baseUrl: string
  readonly key: string
  readonly dataDir: string
  /** The pid of the supervisor. */
  readonly pid: number
  readonly port: number
  /** Everything that it has printed. */
  output(): string
  pidOf(program: Program): number
  /** SIGKILL; resolves when a new one runs in its place. */
  strike(program: Program): Promise<void>
  /** Calls the REST surface with the key; JSON bodies are parsed. */
  rest: Rest
  stop(): Promise<void>
}

export interface SessionJson {
  readonly id: string
  readonly cdp_url: string
  readonly live_view_url: string
  readonly status: string
  readonly reason?: string
}

export interface ErrorJson {
  readonly code: number
  readonly type: string
  readonly message: string
}

/** The parts of an answer that most tests read: one session, or an error. */
export interface SessionAnswer {
  readonly data: SessionJson
  readonly error: ErrorJson
}

export interface RestAnswer<T> {
  readonly status: number
  readonly headers: Headers
  readonly body: T
}

export type Rest = <T = SessionAnswer>(
  method: string,
  path: string,
  body?: unknown,
) => Promise<RestAnswer<T>>

export interface ServiceOptions {
  readonly env?: Readonly<Record<string, string>>
  /** An earlier service's folder, to start again with its data. */
  readonly dataDir?: string
  /** Another build of `troupe`. */
  readonly program?: string
  /** Its folder stays when it stops, for a service that follows it. */
  readonly isKept?: boolean
}

const startsWithinMs = 60_000

export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const begun = performance.now()
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'troupe-test-'))
  const child = spawnTroupe(['up'], { DATA_DIR: dataDir, ...options.env }, options.program)
  let output = ''
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  }
  const url = () => {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('troupe up exited')
    // Its own address: the URL that it shows to people may be a proxy's.
    return /gateway +(http:\S+)/.exec(output)?.[1]
  }
  const heard: LastAnswer = {}
  const dismiss = addWitness(() => told(heard, output))
  let baseUrl: string
  let rest: Rest
  try {
    baseUrl = await until('the service says where it listens', url, startsWithinMs)
    rest = restClient(baseUrl, devKey, heard)
    await until('the service is ready', () => isReady(rest), startsWithinMs)
    noteStart(begun)
  } catch (error) {
    dismiss()
    await stopProcess(child)
    throw new Error(`the service did not start:\n${output}`, { cause: error })
  }
  return {
    baseUrl,
    key: devKey,
    dataDir,
    pid: child.pid!,
    port: Number(new URL(baseUrl).port),
    output: () => output,
    pidOf: (program) => pidOf(child.pid!, program),
    strike: (program) => strike(child.pid!, program),
    rest,
    async stop() {
      await stopProcess(child)
      await nothingLeft(dataDir)
      dismiss()
      if (!options.isKept) rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** The usual kind of session where the display does not matter, because it is cheaper. */
export const headless = { browser: { headless: { active: true } } }

/** A running session; a refusal throws with the service's own message. */
export async function createSession(rest: Rest, body: unknown = headless): Promise<SessionJson> {
  const answer = await rest('POST', '/v1/sessions', body)
  if (answer.status === 200) return answer.body.data
  throw new Error(`${answer.status} ${answer.body.error?.message}`)
}

/** Also false while nothing listens. */
export async function isReady(rest: Rest): Promise<boolean> {
  try {
    return (await rest('GET', '/health/ready')).status === 200
  } catch (error) {
    if (error instanceof TypeError) return false // fetch throws this when there is no connection.
    throw error
  }
}

/** Runs the CLI with an environment without the caller's own configuration. */
export function spawnTroupe(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  program = troupe,
) {
  const quiet = {
    ...{ PORT: '0', LOG_LEVEL: 'warn', NODE_ID: 'test', DEV_KEY: devKey },
    ...{ POOL_HEADLESS: '0', POOL_HEADFUL: '0', SERVER_ENGINE: serverEngine },
  }
  const inherited = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/root' }
  return spawn(process.execPath, [program, ...args], {
    env: { ...inherited, ...quiet, ...isolationHere, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** The last answer of a service, for the error of a test that waits for another one. */
interface LastAnswer {
  line?: string
}

const answerCharsTold = 600
const outputCharsTold = 3_000

const told = ({ line }: LastAnswer, output: string) =>
  [
    `its last answer: ${line ?? 'none'}`,
    `the end of what it has printed:\n${output.slice(-outputCharsTold).trimEnd()}`,
  ].join('\n')

export function restClient(baseUrl: string, key: string, heard: LastAnswer = {}): Rest {
  return async <T>(method: string, path: string, body?: unknown) => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        'service-api-key': key,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    heard.line = `${method} ${path}: ${response.status} ${text.slice(0, answerCharsTold)}`
    const isJson = response.headers.get('content-type')?.includes('json') ?? false
    return {
      status: response.status,
      headers: response.headers,
      body: (isJson ? JSON.parse(text) : text) as T,
    }
  }
}

export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await exited
}

/** Within five seconds after the end no process of the service runs. */
export async function nothingLeft(dataDir: string): Promise<void> {
  const left = () => processesNaming(dataDir)
  try {
    await until('every process is gone', () => left().length === 0, 5_000)
  } catch (error) {
    const list = left().map(({ pid, command }) => `${pid} ${command.slice(0, 160)}`)
    throw new Error(`left behind:\n${list.join('\n')}`, { cause: error })
  }
}

async function strike(supervisor: number, program: Program): Promise<void> {
  const before = pidOf(supervisor, program)
  process.kill(before, 'SIGKILL')
  const isBack = () => {
    try {
      return pidOf(supervisor, program) !== before
    } catch {
      return false // It does not run yet.
    }
  }
  await until(`${program} runs again`, isBack, startsWithinMs)
}

function pidOf(supervisor: number, program: Program): number {
  const name = program === 'nats-server' ? 'nats-server' : `bundle/${program}.js`
  const found = descendantsOf(supervisor).find(({ pid, command }) => {
    return command.includes(name) && !command.includes('Chromium') && isRunning(pid)
  })
  if (!found) throw new Error(`no ${program} runs under ${supervisor}`)
  return found.pid
}
