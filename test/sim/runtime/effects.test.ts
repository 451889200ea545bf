// Goal: effects that an actor committed to take place: `safe` effects at least once, `once` effects
// at most once, and the actor is told how each of them ended.
import t from 'tap'
import { limits } from '../../../proto/limits.ts'
import { effectsAsked } from '../../helpers/runtime/log-checker.ts'
import { Scenario } from './scenarios.ts'
import { actorLimits } from '../../../runtime/actor/limits.ts'

const certified = { certified: true, machine: false, restartAfterMs: 60_000 }
const slowEffects = { takesMs: [2_000, 2_000], fails: 0, refused: 0 } as const

async function onlyEffect(scenario: Scenario): Promise<string> {
  const [effect] = effectsAsked(await scenario.entries())
  return effect!.effectId
}

t.test('a safe effect interrupted by a crash runs again under the same id', async (t) => {
  const scenario = await Scenario.begin()
  const { effects } = scenario.world
  effects.faults = slowEffects
  t.ok(await scenario.ask('note'))
  const effectId = await onlyEffect(scenario)
  await scenario.untilTrue(() => effects.timesBegun(effectId) === 1, 'it has begun')
  scenario.owner.kill(certified)
  await scenario.untilTrue(() => effects.happened(effectId), 'it has taken place')
  t.equal(effects.timesBegun(effectId), 2)
  t.strictSame(await scenario.findings(), [])
  t.strictSame((await scenario.context()).ended, { [effectId]: ['done'] })
})

t.test('a once effect interrupted by a crash does not run again, its end is unknown', async (t) => {
  const scenario = await Scenario.begin()
  const { effects } = scenario.world
  effects.faults = slowEffects
  t.ok(await scenario.ask('strike'))
  const effectId = await onlyEffect(scenario)
  scenario.owner.kill(certified)
  t.strictSame(await scenario.findings(), [])
  t.equal(effects.timesBegun(effectId), 1)
  t.strictSame((await scenario.context()).ended, { [effectId]: ['unknown'] })
})

for (const [type, outcome] of [
  ['note', 'done'],
  ['strike', 'unknown'],
] as const) {
  t.test(`a crash between append and effect: ${type} ends as ${outcome}`, async (t) => {
    const scenario = await Scenario.begin()
    const { world } = scenario
    const before = world.appends
    const answer = scenario.send({ type }, 20_000)
    await scenario.untilTrue(() => world.appends > before, 'the entry lands')
    const effectId = await onlyEffect(scenario)
    t.equal(world.effects.timesBegun(effectId), 0)
    scenario.owner.kill(certified)
    t.ok(await world.timeline.until(answer, 20_000))
    t.strictSame(await scenario.findings(), [])
    t.strictSame((await scenario.context()).ended, { [effectId]: [outcome] })
    t.equal(world.effects.timesBegun(effectId), type === 'note' ? 1 : 0)
  })
}

t.test(
  'an effect that keeps failing restarts its cell, and fails for good beyond a limit of retries',
  async (t) => {
    const scenario = await Scenario.begin()
    const { effects } = scenario.world
    effects.cursed.add('r1')
    t.ok(await scenario.ask('note'))
    const effectId = await onlyEffect(scenario)
    await scenario.run(60_000)
    t.strictSame((await scenario.context()).ended, { [effectId]: ['failed'] })
    t.equal(effects.timesBegun(effectId), limits.effectAttempts * (1 + actorLimits.cellRestarts))
    t.ok(await scenario.ask('note'), 'the actor goes on')
    t.strictSame(await scenario.findings(), [])
  },
)

t.test('the limit holds while other effects of the actor succeed', async (t) => {
  const scenario = await Scenario.begin()
  const { effects } = scenario.world
  effects.cursed.add('r1')
  t.ok(await scenario.ask('note'))
  const effectId = await onlyEffect(scenario)
  for (let i = 0; i < 120; i++) {
    await scenario.run(500)
    t.ok(await scenario.ask('note'))
  }
  t.strictSame((await scenario.context()).ended[effectId], ['failed'])
  t.strictSame(await scenario.findings(), [])
})

t.test('effects continue after a cell restarts while the store is unavailable', async (t) => {
  const scenario = await Scenario.begin()
  const { world } = scenario
  world.effects.cursed.add('r1')
  t.ok(await scenario.ask('note'))
  const effectId = await onlyEffect(scenario)
  // The first restart is due about now; the store stays unavailable for as long as leases last.
  await scenario.untilTrue(() => world.effects.timesBegun(effectId) === limits.effectAttempts, '')
  for (let i = 0; i < 4; i++) {
    world.setStoreDown(true)
    await scenario.run(3_000)
    world.setStoreDown(false)
    await scenario.run(1_500)
  }
  t.ok(await scenario.ask('note'))
  t.strictSame(await scenario.findings(), [])
})

t.test('a refusal is reported at once and not retried', async (t) => {
  const scenario = await Scenario.begin()
  const { effects } = scenario.world
  effects.faults = { takesMs: [1, 1], fails: 0, refused: 1 }
  t.ok(await scenario.ask('note'))
  const effectId = await onlyEffect(scenario)
  await scenario.run(1_000)
  t.equal(effects.timesBegun(effectId), 1)
  t.strictSame((await scenario.context()).ended, { [effectId]: ['failed'] })
})

t.test('an owner whose lease has expired starts no effect', async (t) => {
  const scenario = await Scenario.begin()
  const { world, owner, life } = scenario
  const before = world.appends
  const answer = scenario.send({ type: 'strike' }, 30_000)
  await scenario.untilTrue(() => world.appends > before, 'the entry lands')
  // The acknowledgement is on its way, and reaches the owner long after its lease.
  owner.freeze()
  await scenario.run(20_000)
  owner.thaw()
  t.ok(await world.timeline.until(answer, 30_000))
  t.strictSame(await scenario.findings(), [])
  t.equal(life.process.state, 'dead')
  const effectId = await onlyEffect(scenario)
  t.equal(world.effects.timesBegun(effectId), 0)
  t.strictSame((await scenario.context()).ended, { [effectId]: ['unknown'] })
})
