/**
 * A process of the service that asks actors through the real directory, and remembers the answers.
 * Counters only grow, so answers can be compared: an answer must include everything that was
 * answered before it was asked for.
 */
import { ServiceError, type ErrorType } from '../../../proto/errors.ts'
import { buckets } from '../../../proto/subjects.ts'
import { Directory } from '../../../runtime/actor/directory.ts'
import { Membership } from '../../../runtime/cluster/membership.ts'
import {
  counterActor,
  type CounterCommand,
  type CounterReply,
} from '../../helpers/runtime/counter-kind.ts'
import type { Acknowledged } from '../../helpers/runtime/log-checker.ts'
import { SimBus } from './bus.ts'
import { SimProcess } from './clock.ts'
import { times } from './host.ts'
import type { SimLink } from './link.ts'
import { SimStore } from './store.ts'
import type { Surroundings } from './surroundings.ts'

/**
 * The errors that a caller may get while the world has faults. Any other is a fault of the runtime.
 */
const excuses: ReadonlySet<ErrorType> = new Set(['timeout', 'busy', 'unavailable'])

interface Answer {
  readonly askedMs: number
  readonly answeredMs: number
  readonly what: string
  readonly reply: CounterReply
}

export interface AskOptions {
  readonly timeoutMs: number
  readonly untilSettled?: boolean
}

export class Caller {
  readonly #world: Surroundings
  readonly #process: SimProcess
  readonly #link: SimLink
  readonly #answers = new Map<string, Answer[]>()
  readonly #acknowledged = new Map<string, Acknowledged[]>()
  readonly #created = new Set<string>()
  readonly #finished = new Set<string>()
  #directory: Directory | undefined

  constructor(world: Surroundings) {
    this.#world = world
    this.#process = new SimProcess(world.timeline, 'caller')
    this.#link = world.link(this.#process)
  }

  async start(): Promise<void> {
    const { clock } = this.#process
    const world = this.#world
    const hosts = new SimStore(world.server, this.#link, times.tryMs).bucket(buckets.hosts)
    const log = world.logger(this.#process)
    const membership = await Membership.open({ hosts, clock, log })
    membership.onDead((record) => world.heardOfDeath('caller.gateway.1', record))
    this.#directory = new Directory(new SimBus(world.table, this.#link), clock, membership)
  }

  get created(): ReadonlySet<string> {
    return this.#created
  }

  acknowledged(id: string): readonly Acknowledged[] {
    return this.#acknowledged.get(id) ?? []
  }

  async create(id: string, options: AskOptions): Promise<boolean> {
    const input = { id, tenant: 'sim' }
    return this.#note(id, 'create', () => {
      return this.#directory!.create(counterActor, id, input, options)
    })
  }

  /** True when the actor answered. */
  async ask(id: string, command: CounterCommand | { type: 'get' }, options: AskOptions) {
    const what = 'id' in command ? `${command.type} ${command.id}` : command.type
    if (command.type === 'finish') this.#finished.add(id)
    return this.#note(id, what, async () => {
      const reply = await this.#directory!.ask(counterActor, id, command, options)
      if ('id' in command) this.#acknowledge(id, { id: command.id, index: reply.index })
      return reply
    })
  }

  /**
   * Checks that an answer includes every entry of earlier answers, and is not from an older owner.
   */
  contradictions(): string[] {
    return [...this.#answers].flatMap(([id, answers]) => {
      const asked = [...answers].sort((a, b) => a.askedMs - b.askedMs)
      const answered = [...answers].sort((a, b) => a.answeredMs - b.answeredMs)
      let seen: Answer | undefined
      let next = 0
      return asked.flatMap((answer) => {
        for (; answered[next] && answered[next]!.answeredMs < answer.askedMs; next++) {
          if (isNewer(answered[next]!.reply, seen?.reply)) seen = answered[next]
        }
        if (seen === undefined || !isNewer(seen.reply, answer.reply)) return []
        return [`${id} answered ${answer.what} as if ${seen.what} had not been`]
      })
    })
  }

  #acknowledge(id: string, acknowledged: Acknowledged): void {
    const known = this.#acknowledged.get(id) ?? []
    this.#acknowledged.set(id, [...known, acknowledged])
  }

  async #note(id: string, what: string, ask: () => Promise<CounterReply>): Promise<boolean> {
    const { timeline } = this.#world
    const askedMs = timeline.nowMs
    const wasThere = this.#created.has(id)
    this.#world.trace(`caller asks ${id} to ${what}`)
    try {
      const reply = await ask()
      this.#created.add(id)
      const answers = this.#answers.get(id) ?? []
      answers.push({ askedMs, answeredMs: timeline.nowMs, what, reply })
      this.#answers.set(id, answers)
      this.#world.trace(`${id} answers ${what}: ${JSON.stringify(reply)}`)
      return true
    } catch (error) {
      this.#world.trace(`${id} refuses ${what}: ${(error as Error).message}`)
      this.#judge(id, what, error, wasThere)
      return false
    }
  }

  #judge(id: string, what: string, error: unknown, wasThere: boolean): void {
    if (!(error instanceof ServiceError)) throw error
    if (error.type === 'not_found' && !wasThere && what !== 'create') return
    if (error.type === 'session_ended' && this.#finished.has(id)) return
    if (excuses.has(error.type)) return
    this.#world.finding(`${what} of ${id} was refused with ${error.type}: ${error.message}`)
  }
}

function isNewer(a: CounterReply, b: CounterReply | undefined): boolean {
  return b === undefined || a.count > b.count || a.alarms > b.alarms || a.epoch > b.epoch
}
