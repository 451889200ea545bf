/** One role of the service in its own process, started as on one of several hosts. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Role } from '../../../proto/ids.ts'
import { devKey } from '../../../proto/accounts/dev-key.ts'
import { isolationHere } from './isolation-here.ts'
import { nothingLeft, stopProcess, troupe } from './service.ts'
import type { Teardown } from '../nats/nats.ts'
import { until } from '../lib/until.ts'

export interface Member {
  readonly pid: number
  readonly incarnation: string
  /** The fields of its `ready` line. */
  readonly info: Readonly<Record<string, unknown>>
  output(): string
  kill(): Promise<void>
  /** Drains it. */
  stop(): Promise<void>
}

export interface MemberOptions {
  readonly env: Readonly<Record<string, string>>
  /** Kept afterwards, for a member that follows this one; otherwise it has one of its own. */
  readonly dataDir?: string
  /** A command that runs it, such as one that enters another network namespace. */
  readonly prefix?: readonly string[]
  /** Another build of `troupe`. */
  readonly program?: string
}

export async function startMember(
  t: Teardown,
  role: Role,
  { env, dataDir: given, prefix = [], program: build = troupe }: MemberOptions,
): Promise<Member> {
  const dataDir = given ?? mkdtempSync(join(tmpdir(), `troupe-${role}-`))
  const [program, ...args] = [...prefix, process.execPath, build, role]
  const child = spawn(program!, args, {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '/root',
      ...{
        PORT: '0',
        LOG_LEVEL: 'info',
        POOL_HEADLESS: '1',
        POOL_HEADFUL: '0',
        LEASE_SECONDS: '2',
        DEV_KEY: devKey,
      },
      ...isolationHere,
      ...env,
      DATA_DIR: dataDir,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  }
  t.teardown(async () => {
    await stopProcess(child)
    if (given !== undefined) return
    await nothingLeft(dataDir)
    rmSync(dataDir, { recursive: true, force: true })
  })
  const info = await until(`${role} is ready`, () => {
    if (child.exitCode !== null) throw new Error(`${role} exited:\n${output}`)
    return readyLine(output)
  })
  return {
    pid: child.pid!,
    incarnation: String(info['incarnation']),
    info,
    output: () => output,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
    stop: () => stopProcess(child),
  }
}

function readyLine(output: string): Record<string, unknown> | undefined {
  const line = output.split('\n').find((text) => text.includes('"msg":"ready"'))
  return line === undefined ? undefined : (JSON.parse(line) as Record<string, unknown>)
}
