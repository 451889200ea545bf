/** What a test file has used, from what `preload.ts` wrote down in its processes. */
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The programs that cost most to start, by a name for the table. */
const programs = {
  services: /\/bundle\/troupe\.js (up|serve)\b/,
  gateways: /\/bundle\/gateway\.js\b/,
  NATS: /nats-server --config/,
  browsers: /--remote-debugging-(pipe|port)/,
  displays: /\bXvfb\b/,
  compilers: /\b(tsc|oxlint|tsgolint|prettier|npm|esbuild)\b/,
} as const

export type Program = keyof typeof programs
export const programNames = Object.keys(programs) as Program[]

export interface Usage {
  /** User and system, with all processes that it or a child has waited for: not browsers that were killed. */
  readonly cpuSeconds: number
  readonly started: Readonly<Record<Program, number>>
  /** How long the file waited for its services to be ready. */
  readonly startingSeconds: number
}

export interface Watch {
  /** For the environment of the file's process. */
  readonly env: Readonly<Record<string, string>>
  /** When the process has ended. */
  read(): Usage
}

const preload = fileURLToPath(new URL('preload.js', import.meta.url))

/** `uid`: of the user that the file runs as, if that is another one. */
export function watch(uid?: number): Watch {
  const folder = mkdtempSync(join(tmpdir(), 'times-'))
  const file = join(folder, 'lines')
  writeFileSync(file, '')
  if (uid !== undefined) for (const path of [folder, file]) chownSync(path, uid, uid)
  return {
    env: { TEST_TIMES_FILE: file, TEST_TIMES_OF: '1', NODE_OPTIONS: `--import=${preload}` },
    read() {
      const usage = usageOf(readFileSync(file, 'utf8'))
      rmSync(folder, { recursive: true })
      return usage
    },
  }
}

export function usageOf(lines: string): Usage {
  const valuesOf = (kind: string) =>
    lines
      .split('\n')
      .filter((line) => line.startsWith(`${kind} `))
      .map((line) => line.slice(kind.length + 1))
  const sum = (values: readonly string[]) =>
    values.reduce((total, value) => total + Number(value), 0)
  const commands = valuesOf('program')
  const counts = programNames.map((name) => {
    return [name, commands.filter((command) => programs[name].test(command)).length] as const
  })
  return {
    cpuSeconds: sum(valuesOf('cpu')),
    started: Object.fromEntries(counts) as Record<Program, number>,
    startingSeconds: sum(valuesOf('started')),
  }
}
