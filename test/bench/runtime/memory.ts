/** What the service itself holds while idle: its own processes, without browsers. */
import { descendantsOf, processesNaming } from '../../helpers/lib/processes.ts'
import { type Bench, type Figure, MiB } from '../lib/report.ts'

const programs = ['nats-server', 'gateway', 'actors', 'node-agent'] as const
const targetBytes = 300 * 2 ** 20

export const memory: Bench = {
  name: 'memory',
  on: 'headless',
  async run(world) {
    await world.calm()
    const all = descendantsOf(world.service.pid)
    const parts: Figure[] = programs.map((program) => {
      const pid = world.service.pidOf(program)
      const bytes = all.find((process) => process.pid === pid)!.pssBytes
      return { name: `memory of ${program}`, ours: MiB(bytes), target: '–', met: true }
    })
    const supervisor = processesNaming(world.service.dataDir).find(
      ({ pid }) => pid === world.service.pid,
    )!
    const browsers = all.filter(({ command }) => command.includes('--user-data-dir'))
    const pids = new Set<number>(programs.map((program) => world.service.pidOf(program)))
    const service = all.filter(({ pid }) => pids.has(pid))
    const sum = service.reduce((total, { pssBytes }) => total + pssBytes, 0)
    const warm = browsers.reduce((total, { pssBytes }) => total + pssBytes, 0)
    return [
      ...parts,
      {
        name: 'memory of the supervisor',
        ours: MiB(supervisor.pssBytes),
        target: '–',
        met: true,
      },
      {
        name: 'memory of the four service processes, idle',
        ours: MiB(sum),
        target: '≤ 300 MiB',
        met: sum <= targetBytes,
      },
      {
        name: 'memory of one warm browser (PSS of its processes)',
        ours: MiB(warm / world.pool),
        target: '–',
        met: true,
      },
    ]
  },
}
