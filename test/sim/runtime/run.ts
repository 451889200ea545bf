/** Runs one seed in one world and returns its findings. */
import { finalFindings } from './invariants.ts'
import { makePlan, type Plan, type Step } from './plan.ts'
import { Random } from '../world/random.ts'
import { World } from '../world/world.ts'

/**
 * Enough for the last lease to expire, its actors to be taken over, and their deadlines to ring.
 */
const healingMs = 16_000
const answersWithinMs = 10_000
const restMs = 8_000

export interface Verdict {
  readonly seed: number
  readonly findings: readonly string[]
  /** Log entries that landed: the amount that was checked. */
  readonly entries: number
}

export async function runSeed(seed: number, tell?: (line: string) => void): Promise<Verdict> {
  const plan = makePlan(new Random(seed))
  const world = await World.begin(seed, { skewsMs: plan.skewsMs, ...(tell && { tell }) })
  const unhandled = (error: unknown) => world.finding(`nobody handles ${String(error)}`)
  process.on('unhandledRejection', unhandled)
  try {
    await live(world, plan)
  } finally {
    process.off('unhandledRejection', unhandled)
  }
  return { seed, findings: world.findings, entries: world.appends }
}

async function live(world: World, plan: Plan): Promise<void> {
  world.setFaults(plan.weather)
  world.effects.faults = plan.effects
  for (const step of plan.steps) world.timeline.after(step.atMs, () => perform(world, step))
  await world.timeline.run(plan.lastsMs)
  world.heal()
  await world.timeline.run(healingMs)
  await proveAlive(world, plan)
  await world.timeline.run(restMs)
  await finalFindings(world, plan.actors)
}

function perform(world: World, step: Step): void {
  const { timeoutMs } = step
  switch (step.type) {
    case 'create':
      return void world.caller.create(step.actor, { timeoutMs })
    case 'ask': {
      const { actor, command, untilSettled } = step
      return void world.caller.ask(actor, command, { timeoutMs, untilSettled })
    }
    case 'kill':
      return world.host(step.nodeId).kill(step.death)
    case 'drain':
      return world.host(step.nodeId).drain(step.restartAfterMs)
    case 'freeze': {
      const host = world.host(step.nodeId)
      host.freeze()
      return void world.timeline.after(step.forMs, () => host.thaw(step.newestFirst))
    }
    case 'suspend': {
      const host = world.host(step.nodeId)
      host.suspend()
      return void world.timeline.after(step.forMs, () => host.thaw())
    }
    case 'setClock':
      return world.host(step.nodeId).setClock(step.skewMs)
    case 'cut': {
      const host = world.host(step.nodeId)
      host.cut(step.services)
      return void world.timeline.after(step.forMs, () => host.mend())
    }
    case 'outage':
      world.setStoreDown(true)
      return void world.timeline.after(step.forMs, () => world.setStoreDown(false))
  }
}

/** Checks that every actor that was ever created answers again. */
async function proveAlive(world: World, plan: Plan): Promise<void> {
  const { caller, timeline } = world
  const ids = plan.actors.filter((id) => caller.created.has(id))
  const options = { timeoutMs: answersWithinMs }
  const answers = ids.map((id) => caller.ask(id, { type: 'get' }, options))
  const answered = await timeline.until(Promise.all(answers), answersWithinMs + 1_000)
  ids.forEach((id, i) => {
    if (!answered[i]) world.finding(`${id} does not answer in a healed world`)
  })
}
