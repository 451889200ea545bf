/**
 * The cost of a desktop: warm create, a whole session and memory, measured as for headless ones.
 */
import { descendantsOf, type ProcessInfo } from '../../helpers/lib/processes.ts'
import { atRest } from '../runtime/at-rest.ts'
import { liveOnce, visit } from './lifecycle.ts'
import { type Bench, type Figure, median, MiB, ms, timings } from '../lib/report.ts'
import type { World } from '../lib/world.ts'

const runs = 15

export const headful: Bench = {
  name: 'headful',
  on: 'headful',
  async run(world) {
    await world.calm()
    return [...(await times(world)), ...memoryOfOne(world)]
  },
}

async function times(world: World): Promise<Figure[]> {
  const nothing: number[] = []
  const floor: number[] = []
  const createMs: number[] = []
  for (let run = 0; run < runs; run++) {
    nothing.push(...(await timings(1, () => world.service.rest('GET', '/health/live'))))
    let session = { id: '', cdp_url: '' }
    createMs.push(...(await timings(1, async () => (session = await world.create()))))
    await atRest(world.service.pid)
    floor.push(...(await timings(1, () => visit(session.cdp_url, world.page.url))))
    await world.release(session.id)
    await world.calm()
  }
  const lifeMs = await timings(
    runs,
    () => liveOnce(world),
    () => world.calm(),
  )
  const create = median(createMs)
  const life = median(lifeMs)
  return [
    {
      name: 'headful: create, warm, p50',
      ours: ms(create),
      baseline: `${ms(median(nothing))} (a request that does nothing)`,
      ratio: create / median(nothing),
      target: '≤ 5 ms',
      met: create <= 5,
    },
    {
      name: 'headful: lifecycle p50',
      ours: ms(life),
      baseline: `${ms(median(floor))} (a session already there)`,
      ratio: life / median(floor),
      target: '≤ 1.6×',
      met: life / median(floor) <= 1.6,
    },
  ]
}

const programs = ['Xvfb', 'openbox', 'x11vnc', 'chromium'] as const

/** Of all that each was started with: what stands before its walls, and what it has started itself. */
function memoryOfOne(world: World): Figure[] {
  const agent = world.service.pidOf('node-agent')
  const started = descendantsOf(agent).filter(({ parent }) => parent === agent)
  return programs.map((program) => {
    const own = started.filter((one) => isProgram(one, program))
    const all = own.flatMap((one) => [one, ...descendantsOf(one.pid)])
    const bytes = all.reduce((sum, { pssBytes }) => sum + pssBytes, 0)
    const name = `headful: memory of ${program}, one session`
    return { name, ours: MiB(bytes / own.length), target: '–', met: true }
  })
}

function isProgram({ command }: ProcessInfo, program: string): boolean {
  return program === 'chromium'
    ? command.includes('--user-data-dir=')
    : command.split(' ').some((word) => word === program || word.endsWith(`/${program}`))
}
