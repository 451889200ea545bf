/** Warm create, a burst as large as the pool, and release: the waits of a REST client. */
import { type Bench, median, ms, percentile, timings } from '../lib/report.ts'

export const sessions: Bench = {
  name: 'sessions',
  on: 'headless',
  async run(world) {
    const ids: string[] = []
    const roundTrip = () => world.service.rest('GET', '/health/live')
    const floor: number[] = []
    const createOne = async () => void ids.push((await world.create()).id)
    const createMs = await timings(40, createOne, async () => {
      await Promise.all(ids.splice(0).map((id) => world.release(id)))
      await world.calm()
      floor.push(...(await timings(1, roundTrip)))
      await world.calm()
    })
    const releaseMs = await timings(ids.length, async () => world.release(ids.pop()!))
    for (let i = 0; i < 10; i++) {
      await world.calm()
      const { id } = await world.create()
      releaseMs.push(...(await timings(1, () => world.release(id))))
    }
    await world.calm()
    const burst = await Promise.all(
      Array.from({ length: world.pool }, async () => {
        const [took] = await timings(1, createOne)
        return took!
      }),
    )
    await Promise.all(ids.splice(0).map((id) => world.release(id)))
    const p50 = median(createMs)
    const p99 = percentile(createMs, 99)
    return [
      {
        name: 'create, warm, p50',
        ours: ms(p50),
        baseline: `${ms(median(floor))} (a request that does nothing)`,
        ratio: p50 / median(floor),
        target: '≤ 5 ms',
        met: p50 <= 5,
      },
      { name: 'create, warm, p99', ours: ms(p99), target: '≤ 25 ms', met: p99 <= 25 },
      {
        name: `burst of ${world.pool} creates, slowest`,
        ours: ms(Math.max(...burst)),
        target: '≤ 50 ms',
        met: Math.max(...burst) <= 50,
      },
      {
        name: 'release answers, p50',
        ours: ms(median(releaseMs)),
        target: '≤ 5 ms',
        met: median(releaseMs) <= 5,
      },
    ]
  },
}
