/**
 * Shared by the directed scenarios: a fault-free world with one live counter, and controls for it.
 */
import { subjects } from '../../../proto/subjects.ts'
import type { LogEntry } from '../../../runtime/actor/log.ts'
import type { CounterCommand, CounterContext } from '../../helpers/runtime/counter-kind.ts'
import { contextOf, readHistory } from '../../helpers/runtime/log-checker.ts'
import { finalFindings } from './invariants.ts'
import type { SimActorHost, SimHost } from '../world/host.ts'
import { World } from '../world/world.ts'

const askMs = 10_000

type Unnamed<C> = C extends unknown ? Omit<C, 'id'> : never

export class Scenario {
  readonly world: World
  readonly id = 'c1'
  #commands = 0

  private constructor(world: World) {
    this.world = world
  }

  /** Three machines with correct clocks, and the counter `c1` live on one of them. */
  static async begin(seed = 1): Promise<Scenario> {
    const skewsMs = [0, 0, 0]
    const tell = process.env['SIM_TRACE'] ? (line: string) => console.error(line) : undefined
    const world = await World.begin(seed, { skewsMs, ...(tell && { tell }) })
    const scenario = new Scenario(world)
    await world.timeline.until(world.caller.create(scenario.id, { timeoutMs: askMs }), askMs)
    return scenario
  }

  get owner(): SimHost {
    const owner = this.world.ownerOf(this.id)
    if (owner === undefined) throw new Error('nobody owns the actor')
    return owner
  }

  get life(): SimActorHost {
    return this.owner.life!
  }

  /** Asks and waits; true when the actor answered. */
  ask(type: 'add' | 'note' | 'strike' | 'finish', timeoutMs = askMs): Promise<boolean> {
    return this.#await(this.send({ type }, timeoutMs), timeoutMs)
  }

  arm(afterMs: number): Promise<boolean> {
    return this.#await(this.send({ type: 'arm', afterMs }, askMs), askMs)
  }

  get(timeoutMs = askMs): Promise<boolean> {
    return this.#await(this.world.caller.ask(this.id, { type: 'get' }, { timeoutMs }), timeoutMs)
  }

  /** Asks without waiting. */
  send(command: Unnamed<CounterCommand>, timeoutMs = askMs): Promise<boolean> {
    const named = { ...command, id: `r${++this.#commands}` } as CounterCommand
    return this.world.caller.ask(this.id, named, { timeoutMs })
  }

  run(ms: number): Promise<void> {
    return this.world.timeline.run(ms)
  }

  untilTrue(condition: () => boolean, what: string, withinMs = 60_000): Promise<void> {
    return this.world.timeline.untilTrue(condition, withinMs, what)
  }

  untilOwned(): Promise<void> {
    return this.untilTrue(() => this.world.ownerOf(this.id) !== undefined, 'the actor is owned')
  }

  entries(): Promise<LogEntry[]> {
    return readHistory(this.world.memory.log, 'counter', this.id)
  }

  async context(): Promise<CounterContext> {
    return contextOf((await this.entries()).at(-1)!)
  }

  /** All findings of the checks that the seeds use, after a while in a healed world. */
  async findings(): Promise<readonly string[]> {
    this.world.heal()
    await this.run(30_000)
    await this.get()
    await this.run(10_000)
    await finalFindings(this.world, [this.id])
    return this.world.findings
  }

  isServed(): boolean {
    return this.world.table.servers(subjects.mailbox('counter', this.id)).length > 0
  }

  #await(answer: Promise<boolean>, timeoutMs: number): Promise<boolean> {
    return this.world.timeline.until(answer, timeoutMs + 1_000)
  }
}
