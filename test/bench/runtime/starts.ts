/**
 * What it costs to start the service: CPU of each role until all are ready, and how long a gateway
 * is away that was killed. The baseline is a Node process that does nothing.
 */
import { execFileSync } from 'node:child_process'
import type { Role } from '../../../proto/ids.ts'
import { cpuMs } from '../../helpers/lib/processes.ts'
import { isReady, startService, type Service } from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'
import { median, ms, type Bench, type Figure } from '../lib/report.ts'

const runs = 5
const targetMs: Readonly<Record<Role, number>> = { gateway: 500, actors: 300, 'node-agent': 300 }
const roles = Object.keys(targetMs) as Role[]

interface Start {
  readonly cpu: Readonly<Record<Role, number>>
  /** From SIGKILL of the gateway to its next answer. */
  readonly awayMs: number
}

async function once(): Promise<Start> {
  const service = await startService()
  try {
    const used = roles.map((role) => [role, cpuMs(service.pidOf(role))] as const)
    return { cpu: Object.fromEntries(used) as Start['cpu'], awayMs: await away(service) }
  } finally {
    await service.stop()
  }
}

async function away(service: Service): Promise<number> {
  const struck = performance.now()
  await service.strike('gateway')
  await until('the gateway answers again', () => isReady(service.rest))
  return performance.now() - struck
}

/** CPU of a Node process that does nothing, in ms; it reports its own. */
function emptyNodeMs(): number {
  const program = 'const { user, system } = process.cpuUsage(); console.log((user + system) / 1000)'
  return Number(execFileSync(process.execPath, ['-e', program], { encoding: 'utf8' }))
}

export const starts: Bench = {
  name: 'starts',
  on: 'nothing',
  async run() {
    const all: Start[] = []
    for (let run = 0; run < runs; run++) all.push(await once())
    const empty = median(Array.from({ length: runs }, emptyNodeMs))
    const figures = roles.map((role): Figure => {
      const used = median(all.map(({ cpu }) => cpu[role]))
      return {
        name: `CPU of ${role} until the service is ready`,
        ours: ms(used),
        baseline: `${ms(empty)} (Node without a program)`,
        ratio: used / empty,
        target: `≤ ${targetMs[role]} ms`,
        met: used <= targetMs[role],
      }
    })
    const awayMs = median(all.map((start) => start.awayMs))
    const name = 'a killed gateway answers again after'
    return [...figures, { name, ours: ms(awayMs), target: '–', met: true }]
  },
}
