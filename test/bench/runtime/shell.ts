/**
 * What a line of `troupe browser` costs an agent: CPU of its process, beside a Node process that does
 * nothing, and how long the line takes, beside the same command over REST from a process that runs.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { programPath } from '../../../runtime/process/programs.ts'
import { createSession, startService } from '../../helpers/service/service.ts'
import { median, ms, type Bench, type Figure } from '../lib/report.ts'

const run = promisify(execFile)
const runs = 25
const targetMs = 60

interface Spent {
  readonly cpuMs: number
  readonly wallMs: number
}

/** The shell reports the times of its children, as `0m0.123000s 0m0.045000s`. */
async function spentBy(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Spent> {
  const startMs = performance.now()
  const script = '"$@" > /dev/null && times'
  const words = ['-c', script, 'sh', process.execPath, ...args]
  const { stdout } = await run('/bin/sh', words, { env })
  const wallMs = performance.now() - startMs
  const [, children = ''] = stdout.trim().split('\n')
  const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, m, s]) => 60 * Number(m) + Number(s),
  )
  return { cpuMs: 1_000 * seconds.reduce((sum, each) => sum + each, 0), wallMs }
}

export const shell: Bench = {
  name: 'shell',
  on: 'nothing',
  async run() {
    const home = mkdtempSync(join(tmpdir(), 'troupe-bench-shell-'))
    const service = await startService({ env: { POOL_HEADLESS: '1', POOL_HEADFUL: '0' } })
    try {
      const { id } = await createSession(service.rest)
      const env = {
        ...{ PATH: process.env['PATH'] ?? '', HOME: home },
        ...{ SVC_BASE: service.baseUrl, SVC_API_KEY: service.key, SVC_SESSION_ID: id },
      }
      const [lines, empty, restMs]: [Spent[], Spent[], number[]] = [[], [], []]
      for (let turn = 0; turn < runs; turn++) {
        lines.push(await spentBy([programPath('troupe-browser'), 'browser', 'snapshot'], env))
        empty.push(await spentBy(['-e', '0'], env))
        const startMs = performance.now()
        await service.rest('POST', `/v1/sessions/${id}/commands/snapshot`, {})
        restMs.push(performance.now() - startMs)
      }
      return figuresOf(lines, empty, restMs)
    } finally {
      await service.stop()
      rmSync(home, { recursive: true, force: true })
    }
  },
}

function figuresOf(lines: readonly Spent[], empty: readonly Spent[], restMs: readonly number[]) {
  const used = median(lines.map(({ cpuMs }) => cpuMs))
  const node = median(empty.map(({ cpuMs }) => cpuMs))
  const wall = median(lines.map(({ wallMs }) => wallMs))
  const rest = median(restMs)
  return [
    {
      name: 'CPU of `troupe browser snapshot`',
      ours: ms(used),
      baseline: `${ms(node)} (Node without a program)`,
      ratio: used / node,
      target: `≤ ${targetMs} ms more`,
      met: used - node <= targetMs,
    },
    {
      name: '`troupe browser snapshot` takes',
      ours: ms(wall),
      baseline: `${ms(rest)} (by REST from a process that runs)`,
      ratio: wall / rest,
      target: '–',
      met: true,
    },
  ] satisfies readonly Figure[]
}
