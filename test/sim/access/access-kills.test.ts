// Goal: hosts that die and freeze in the middle of any step of giving and ending access open no
// grant without its reviews, admit no read after an acknowledged end, and leave nothing half done.
// Each seed is another sequence of deaths, and another end at another moment; SIM_SEED=n runs one
// seed and prints every event, SIM_SEEDS=n runs more.
import t from 'tap'
import { checkAtRest, checkNow, stateOf } from './access-invariants.ts'
import { AccessWorld, troubles } from './access-world.ts'

const one = process.env['SIM_SEED']
const count = Number(process.env['SIM_SEEDS'] ?? 1_500) / 10
const seeds = one === undefined ? Array.from({ length: count }, (_, i) => i + 1) : [Number(one)]

/** Time for outstanding effects to finish, for leases to expire, and for retries. */
const storyMs = 600_000
const healingMs = 20_000
const restMs = 25_000
const answersMs = 60_000

/** Between the records that one step writes. */
const moments = [
  'request checking',
  'request approved',
  'request lapsed',
  'grant confirming',
  'grant active',
  'need closed',
  'scope retired',
  'client closed',
  'person removed',
]

Error.stackTraceLimit = 0
t.setTimeout(10 * 60_000)

async function live(seed: number): Promise<AccessWorld> {
  const tell = one === undefined ? undefined : (line: string) => console.error(line)
  const access = await AccessWorld.begin(seed, tell)
  const { timeline } = access.world
  const unhandled = (error: unknown) => access.world.finding(`nobody handles ${String(error)}`)
  process.on('unhandledRejection', unhandled)
  try {
    access.struck.checkEach = () => checkNow(access)
    await timeline.until(access.live(), storyMs)
    access.world.heal()
    await timeline.run(healingMs)
    await timeline.until(access.proveAlive(), answersMs)
    await timeline.run(restMs)
    await checkAtRest(access)
  } finally {
    process.off('unhandledRejection', unhandled)
  }
  return access
}

t.test(`${seeds.length} worlds`, async (t) => {
  const outcomes = new Map<string, number>()
  const struck = new Set<string>()
  for (const seed of seeds) {
    const access = await live(seed)
    const { findings } = access.world
    if (findings.length > 0) {
      t.fail(`seed ${seed}, ${access.trouble}: ${findings.join('; ')}`, {
        rerun: `SIM_SEED=${seed}`,
      })
    }
    const request = (await stateOf(access, 'request'))?.value
    const grant = (await stateOf(access, 'grant'))?.context.endReason
    for (const outcome of [request, grant]) {
      if (outcome) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }
    outcomes.set(access.trouble, (outcomes.get(access.trouble) ?? 0) + 1)
    for (const after of access.struck.struckAfter) struck.add(after)
  }
  t.comment(JSON.stringify(Object.fromEntries([...outcomes].sort())))
  t.comment(`struck after ${[...struck].sort().join(', ')}`)
  if (seeds.length < 150) return
  for (const moment of moments) t.ok(struck.has(moment), `some were struck after ${moment}`)
  const expected = [...troubles, 'fulfilled', 'lapsed', 'denied', 'need_closed', 'never_held']
  for (const outcome of expected) t.ok(outcomes.has(outcome), `some were ${outcome}`)
})
