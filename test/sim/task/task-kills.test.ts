// Goal: hosts that die and freeze in the middle of a task lose no step of it, repeat none, change
// no order, and do nothing twice that must be done once. Each seed is another sequence of deaths;
// SIM_SEED=n runs one seed, SIM_SEEDS=n runs more.
import t from 'tap'
import type { StateRecord, StepRecord } from '../../../proto/task/task.ts'
import { subjects } from '../../../proto/subjects.ts'
import { checkHistory, readHistory } from '../../helpers/runtime/log-checker.ts'
import { readRecords } from '../../helpers/tasks/records.ts'
import { taskId, TaskWorld } from './task-world.ts'

const one = process.env['SIM_SEED']
const count = Number(process.env['SIM_SEEDS'] ?? 1_500) / 10
const seeds = one === undefined ? Array.from({ length: count }, (_, i) => i + 1) : [Number(one)]

/** All states except those that wait for a person, in which nothing is done. */
const states = [
  'queued',
  'preparing',
  'observing',
  'deciding',
  'acting',
  'waiting',
  'checking',
  'leaving',
]

Error.stackTraceLimit = 0
t.setTimeout(10 * 60_000)

interface Lived {
  readonly world: TaskWorld
  readonly state: string
  readonly isCancelled: boolean
  /** The states in which its hosts were struck. */
  readonly struckIn: readonly string[]
  readonly findings: readonly string[]
}

async function live(seed: number): Promise<Lived> {
  const world = new TaskWorld(seed)
  const { random, timeline } = world
  const struckIn: string[] = []
  await world.begin()
  for (let strikes = random.int(1, 8); strikes > 0; strikes--) {
    await timeline.run(random.between(1, random.chance(0.7) ? 300 : 5_000))
    if (random.chance(0.3)) world.moveSession()
    struckIn.push((await world.context()).state)
    await world.strike()
  }
  const isCancelled = random.chance(0.2)
  if (isCancelled) await world.tell('cancel')
  world.calm()
  await timeline.run(20 * 60_000)
  const { state } = await world.context()
  return {
    world,
    state,
    isCancelled,
    struckIn,
    findings: [...world.findings, ...(await faults(world))],
  }
}

async function faults(world: TaskWorld): Promise<string[]> {
  const entries = await readHistory(world.store.log, 'task', taskId)
  const steps = await readRecords<StepRecord>(world.steps, subjects.taskStep(taskId))
  const states = await readRecords<StateRecord>(world.steps, subjects.taskState(taskId))
  const { state, context } = await world.context()
  const pending = entries.at(-1)!.pending
  return [
    ...checkHistory(entries),
    ...[steps, states].flatMap((records) =>
      records.flatMap(({ n, type }, i) => (n === i + 1 ? [] : [`${type} ${n} is record ${i + 1}`])),
    ),
    ...(steps.length === context.steps ? [] : [`${steps.length} of ${context.steps} steps told`]),
    ...(states.length === context.announced ? [] : ['a state was not told']),
    ...(states.at(-1)?.state === state ? [] : [`the last state told is not ${state}`]),
    ...sessionFaults(world),
    ...(context.outcome === null ? [`it has no end, in ${state}`] : []),
    ...pending.filter(({ kind }) => kind !== 'publish').map(({ kind }) => `${kind} is pending`),
  ]
}

/**
 * A session that was given must still run; of a task's own session there was one, and it has ended.
 */
function sessionFaults({ sessions, ownsSession }: TaskWorld): string[] {
  const running = [...sessions.values()].filter(Boolean).length
  const isRight = sessions.size <= 1 && running === (ownsSession ? 0 : 1)
  return isRight ? [] : [`${sessions.size} sessions, ${running} of them running`]
}

t.test(`${seeds.length} worlds`, async (t) => {
  let lives = 0
  let unknown = 0
  const struck = new Set<string>()
  for (const seed of seeds) {
    const { world, state, isCancelled, struckIn, findings } = await live(seed)
    for (const one of struckIn) struck.add(one)
    lives += world.lives
    const steps = await readRecords<StepRecord>(world.steps, subjects.taskStep(taskId))
    unknown += steps.filter(({ actions }) =>
      actions.some((one) => one.outcome === 'unknown'),
    ).length
    const isRight = state === 'completed' || (isCancelled && state === 'cancelled')
    const end = isRight
      ? []
      : [`it ended ${state}: ${(await world.context()).context.outcome?.error}`]
    const all = [...findings, ...end]
    if (all.length > 0) t.fail(`seed ${seed}: ${all.join('; ')}`)
  }
  t.comment(`${lives} lives, ${unknown} steps of which not all is known`)
  t.ok(lives > seeds.length)
  if (one !== undefined) return
  t.ok(unknown > 0, 'some died in the act')
  if (seeds.length < 100) return
  for (const state of states) t.ok(struck.has(state), `some in ${state}`)
})
