/** What a storage state adds to a creation: cookies, and the local storage of many origins. */
import type { StorageState } from '../../../proto/session/storage-state.ts'
import { headless, createSession } from '../../helpers/service/service.ts'
import { type Bench, type Figure, median, ms, timings } from '../lib/report.ts'

const cookies = Array.from({ length: 200 }, (_, i) => ({
  ...{ name: `cookie-${i}`, value: 'x'.repeat(100), domain: `.site-${i % 20}.example`, path: '/' },
  ...{ expires: -1, httpOnly: true, secure: true, sameSite: 'Lax' as const },
}))
const origins = Array.from({ length: 20 }, (_, i) => ({
  origin: `https://site-${i}.example`,
  localStorage: Array.from({ length: 10 }, (_, n) => ({ name: `n${n}`, value: 'x'.repeat(100) })),
}))

const rows: readonly (readonly [string, StorageState, number])[] = [
  ['create with 200 cookies, p50', { cookies, origins: [] }, 100],
  ['create with local storage of one origin, p50', { cookies: [], origins: [origins[0]!] }, 700],
  ['create with local storage of 20 origins, p50', { cookies: [], origins }, 700],
]

export const storageStates: Bench = {
  name: 'storage-states',
  on: 'headless',
  async run(world) {
    const ids: string[] = []
    const release = async () => {
      await Promise.all(ids.splice(0).map((id) => world.release(id)))
      await world.calm()
    }
    const createWith = (storage_state?: StorageState) => async () => {
      const session = storage_state ? { storage_state } : {}
      ids.push((await createSession(world.service.rest, { ...headless, session })).id)
    }
    const figures: Figure[] = []
    for (const [name, state, targetMs] of rows) {
      const samples: { plain: number[]; given: number[] } = { plain: [], given: [] }
      for (let turn = 0; turn < 8; turn++) {
        samples.plain.push(...(await timings(1, createWith(), release)))
        samples.given.push(...(await timings(1, createWith(state), release)))
      }
      const [plain, given] = [median(samples.plain), median(samples.given)]
      figures.push({
        name,
        ours: ms(given),
        baseline: `${ms(plain)} (without a state)`,
        ratio: given / plain,
        target: `≤ ${targetMs} ms more`,
        met: given - plain <= targetMs,
      })
    }
    await release()
    return figures
  },
}
