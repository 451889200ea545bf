// Goal: hosts that die and freeze in the middle of any step of a change, above all while its record
// is written, write nothing that was not approved, and nothing twice. Each seed is another sequence
// of deaths; SIM_SEED=n runs one seed and prints every event, SIM_SEEDS=n runs more.
import t from 'tap'
import { checkAtRest, checkNow, statesOf } from './change-invariants.ts'
import { ChangeWorld } from './change-world.ts'

const one = process.env['SIM_SEED']
const count = Number(process.env['SIM_SEEDS'] ?? 1_500) / 25
const seeds = one === undefined ? Array.from({ length: count }, (_, i) => i + 1) : [Number(one)]

/** Time for outstanding effects to finish, for leases to expire, and for retries. */
const storyMs = 3_600_000
const healingMs = 20_000
const restMs = 25_000

/** Between the records that one step writes. */
const moments = ['change checking', 'change booking', 'change applying', 'change done']

Error.stackTraceLimit = 0
t.setTimeout(10 * 60_000)

async function live(seed: number): Promise<ChangeWorld> {
  const tell = one === undefined ? undefined : (line: string) => console.error(line)
  const changed = await ChangeWorld.begin(seed, tell)
  const { world } = changed.struck
  const unhandled = (error: unknown) => world.finding(`nobody handles ${String(error)}`)
  process.on('unhandledRejection', unhandled)
  try {
    changed.struck.checkEach = () => checkNow(changed)
    await world.timeline.until(changed.live(), storyMs)
    world.heal()
    await world.timeline.run(healingMs)
    const asked = Promise.all(changed.changes.map(({ get }) => get()))
    await world.timeline.until(asked, healingMs)
    await world.timeline.run(restMs)
    await checkAtRest(changed)
  } finally {
    process.off('unhandledRejection', unhandled)
  }
  return changed
}

t.test(`${seeds.length} worlds`, async (t) => {
  const outcomes = new Map<string, number>()
  const struck = new Set<string>()
  for (const seed of seeds) {
    const changed = await live(seed)
    const { findings } = changed.struck.world
    if (findings.length > 0) {
      t.fail(`seed ${seed}: ${findings.join('; ')}`, { rerun: `SIM_SEED=${seed}` })
    }
    for (const { value } of await statesOf(changed)) {
      outcomes.set(value, (outcomes.get(value) ?? 0) + 1)
    }
    outcomes.set(changed.meddling, (outcomes.get(changed.meddling) ?? 0) + 1)
    for (const after of changed.struck.struckAfter) struck.add(after)
  }
  t.comment(JSON.stringify(Object.fromEntries([...outcomes].sort())))
  t.comment(`struck after ${[...struck].sort().join(', ')}`)
  if (seeds.length < 60) return
  for (const moment of moments) t.ok(struck.has(moment), `some were struck after ${moment}`)
  for (const outcome of ['done', 'checked', 'renamed']) t.ok(outcomes.has(outcome), outcome)
})
