/**
 * One task on hosts that die and freeze: the real kind with its real effects, with a played
 * browser, session and model, on one virtual timeline. Each click moves the page from one place to
 * the next, so a click that is repeated or out of order is detected.
 */
import { pino } from 'pino'
import type { TaskContext } from '../../../actors/task/state/context.ts'
import type { TaskEffectDeps } from '../../../actors/task/effects/deps.ts'
import { taskKind } from '../../../actors/task/kind.ts'
import {
  ModelFailure,
  type TaskModel,
  type ModelRequest,
} from '../../../actors/task/models/model.ts'
import { decode, encode } from '../../../proto/codec.ts'
import type { CommandCall } from '../../../proto/commands/catalogue.ts'
import type { Reply } from '../../../proto/envelope.ts'
import { ServiceError, toWireError } from '../../../proto/errors.ts'
import type {
  IssuedByTask,
  FencedOrder,
  NodeRequest,
  NodeReply,
  NodeVerbs,
} from '../../../proto/browser-host/node.ts'
import type { TaskInput } from '../../../proto/task/task.ts'
import { ReplyCache } from '../../../runtime/lib/reply-cache.ts'
import { BusTimeout, NoResponders, type Bus } from '../../../runtime/store/bus.ts'
import { Cell, type CellOptions } from '../../../runtime/actor/cell/cell.ts'
import { readLastEntry } from '../../../runtime/actor/log.ts'
import { MemoryStore } from '../../helpers/runtime/memory-store.ts'
import { StoreUnavailable, type LogStore } from '../../../runtime/store/store.ts'
import { ViewPublisher } from '../../../runtime/actor/views.ts'
import { order, sessionId, usage } from '../../helpers/tasks/story.ts'
import { Random } from '../world/random.ts'
import { ampleRoom } from '../../../runtime/actor/log-room.ts'
import { SimProcess, Timeline, worldBeginsAtMs } from '../world/clock.ts'

const log = pino({ level: 'silent' })
export const taskId = 'tsk_01'
const goal = 6

/** An order to run acts, or to restrict the network, which has no effect here. */
type Order = FencedOrder & IssuedByTask & Partial<Pick<NodeVerbs['run']['request'], 'actions'>>

type Asked = Pick<NodeRequest, 'id' | 'again'> & { readonly request: Order }

/** One incarnation of the task: a process, and the cell in it. */
interface Life {
  readonly epoch: number
  readonly process: SimProcess
  cell: Cell | undefined
}

export class TaskWorld {
  readonly random: Random
  readonly timeline = new Timeline()
  readonly store = new MemoryStore()
  readonly steps: LogStore = new MemoryStore().log
  readonly findings: string[] = []
  /** The number of places that were left by a click. */
  clicked = 0
  lives = 0
  #isFilled = false
  #fence = 0
  #sessionEpoch = 1
  /** Whether each session is running; a task that was given none makes its own. */
  readonly sessions = new Map<string, boolean>()
  readonly ownsSession: boolean
  #isCalm = false
  /** The node agent's answers, by the id of the question. */
  readonly #answers = new ReplyCache<NodeReply>({ max: 1_000 })
  #life!: Life

  constructor(seed: number) {
    this.random = new Random(seed)
    this.ownsSession = this.random.chance(0.4)
    if (!this.ownsSession) this.sessions.set(sessionId, true)
  }

  /** The first host gets the task's order. */
  async begin(): Promise<void> {
    await this.#rise(0)
  }

  /**
   * The host dies, or only freezes and wakes up later; another host takes the task over after a
   * while.
   */
  async strike(): Promise<void> {
    const old = this.#life
    if (this.random.chance(0.3)) {
      old.process.freeze()
      this.timeline.after(this.random.between(1_000, 8_000), () => old.process.thaw())
    } else old.process.kill()
    await this.timeline.run(this.random.between(1, 3_000))
    await this.#rise(old.epoch)
  }

  /** The session's actor has moved: from now on it is addressed under another epoch. */
  moveSession(): void {
    this.#sessionEpoch++
  }

  /** Ends all losses. */
  calm(): void {
    this.#isCalm = true
  }

  async tell(type: string): Promise<void> {
    const { cell, process } = this.#life
    const deadlineMs = process.clock.now() + 60_000
    const requestId = `${type}-${this.timeline.nowMs}`
    const answer = cell!.handle({ requestId, deadlineMs, command: { type } })
    await this.timeline.until(answer, 120_000)
  }

  async context(): Promise<{ readonly state: string; readonly context: TaskContext }> {
    const last = await readLastEntry(this.store.log, 'task', taskId)
    const snapshot = last!.entry.snapshot as { value: string; context: TaskContext }
    return { state: snapshot.value, context: snapshot.context }
  }

  async #rise(epochBefore: number): Promise<void> {
    const epoch = epochBefore + 1
    const process = new SimProcess(this.timeline, `h${epoch}`)
    const life: Life = { epoch, process, cell: undefined }
    this.#life = life
    this.lives++
    const options = this.#options(life)
    const last = await readLastEntry(this.store.log, 'task', taskId)
    const cell = last ? Cell.recover(options, last) : Cell.create(options, this.#input())
    life.cell = await this.timeline.until(cell, 600_000)
  }

  #input(): TaskInput {
    const createdAtMs = worldBeginsAtMs
    const who = { tenant: 'acme', keyId: 'k', keyName: 'ci' }
    const { sessionId: given, ...own } = order
    const where = this.ownsSession ? {} : { sessionId: given! }
    return { id: taskId, ...who, createdAtMs, order: { ...own, ...where, ...longer } }
  }

  #options(life: Life): CellOptions {
    const { process, epoch } = life
    const { clock } = process
    const random = this.random.next
    const wired = (inner: LogStore) => this.#wired(process, inner)
    const kind = taskKind({
      bus: this.#bus(process),
      clock,
      directory: {
        ask: (_actor: unknown, id: string, command: { readonly type: string }) =>
          this.#call(process, () => this.#session(id, command.type)),
        create: (_actor: unknown, id: string) => this.#call(process, () => this.#createSession(id)),
      } as TaskEffectDeps['directory'],
      steps: wired(this.steps),
      pictures: wired(new MemoryStore().log),
      models: { open: async () => this.#model(process) },
      schemas: noSchemas,
      sealer: { open: () => '{}' },
      fillTickets: { issue: () => 'ticket' },
      log,
    })
    const views = this.store.bucket('views')
    return {
      kind,
      ownership: { kind: 'task', id: taskId, epoch, revision: epoch },
      incarnation: `${process.name}.actors.x`,
      // A lease: a host that was declared dead may not start anything.
      writer: {
        log: wired(this.store.log),
        clock,
        random,
        mayWrite: () => this.#life === life,
        room: ampleRoom,
      },
      clock,
      views: new ViewPublisher({ views, kind: 'task', clock, random, log }),
      log,
      onFenced: () => undefined,
    }
  }

  /** A call and its answer; what reaches a dead process is lost. */
  #call<T>(process: SimProcess, work: () => T | Promise<T>): Promise<T> {
    const { timeline, random } = this
    return new Promise<T>((resolve, reject) => {
      const back = (arrive: () => void) => {
        timeline.after(random.between(0.2, 8), () => process.enter(arrive))
      }
      const there = async () => {
        try {
          const value = await work()
          back(() => resolve(value))
        } catch (error) {
          back(() => reject(error as Error))
        }
      }
      timeline.after(random.between(0.2, 8), () => void there())
    })
  }

  /** Sometimes a write is not acknowledged. */
  #wired(process: SimProcess, inner: LogStore): LogStore {
    return {
      append: (subject, data, expectedSeq) =>
        this.#call(process, async () => {
          const isLost = !this.#isCalm && this.random.chance(0.02)
          if (isLost && this.random.chance(0.5)) throw new StoreUnavailable(subject)
          const seq = await inner.append(subject, data, expectedSeq)
          if (isLost) throw new StoreUnavailable(subject)
          return seq
        }),
      last: (subject) => this.#call(process, () => inner.last(subject)),
      read: (subject, fromSeq) => inner.read(subject, fromSeq),
      purge: (subject) => inner.purge(subject),
      trim: (...range) => inner.trim(...range),
    }
  }

  /** Creating it again returns the existing session, ended or not. */
  #createSession(id: string): unknown {
    if (!this.sessions.has(id)) this.sessions.set(id, true)
    return {}
  }

  #session(id: string, type: string): unknown {
    const isRunning = this.sessions.get(id)
    if (isRunning === undefined) throw new ServiceError('not_found', 'no such session')
    if (type === 'end') this.sessions.set(id, false)
    else if (!isRunning) throw new ServiceError('session_ended', 'it has ended')
    const epoch = this.#sessionEpoch
    return type === 'task.enter'
      ? {
          turn: { sessionId: id, nodeId: 'n1', browserId: 'brw_1', epoch },
          view: { status: 'running' },
        }
      : {}
  }

  /** The node agent: requests and answers may be lost independently. */
  #bus(process: SimProcess): Bus {
    const { random } = this
    return {
      messageBytes: 1_000_000,
      serve: () => ({ stop: () => undefined }),
      request: (subject, payload, timeoutMs) => {
        const { id, again, request } = decode<Asked>(payload)
        if (!this.#isCalm && random.chance(0.03)) {
          return this.#call(process, () => Promise.reject(new NoResponders(subject)))
        }
        const isLost = !this.#isCalm && random.chance(0.02)
        const work =
          isLost && random.chance(0.5) ? undefined : () => this.#asked(id, again, request)
        const answer = this.#call(process, () => work?.())
        if (!isLost) return answer.then((replies) => encode(replies))
        return new Promise((_, reject) => {
          process.clock.timer(timeoutMs, () => reject(new BusTimeout(subject, timeoutMs)))
        })
      },
    }
  }

  /** A repeated question returns the stored answer, so acts are not done twice. */
  async #asked(id: string, again: boolean, order: Order): Promise<NodeReply> {
    const known = this.#answers.known(id)
    if (known) return known
    if (again && order.actions) return { forgotten: true }
    return this.#answers.once(id, () => this.#run(order))
  }

  async #run({ epoch, by, actions = [] }: Order): Promise<Reply> {
    try {
      if (epoch < this.#sessionEpoch) {
        throw new ServiceError('conflict', 'old', { epoch: this.#sessionEpoch })
      }
      if (by!.epoch < this.#fence) {
        throw new ServiceError('conflict', 'an old task', { epoch: this.#fence })
      }
      this.#fence = by!.epoch
      return { ok: true, value: actions.map((action) => this.#act(action)) }
    } catch (error) {
      return { ok: false, error: toWireError(error) }
    }
  }

  #act({ command, input }: CommandCall): Reply {
    const at = this.clicked
    const url = `https://shop.test/${at}`
    const page = { url, title: `Place ${at}` }
    const button = `e${at} button "Go on ${at}"`
    const text = `${this.#isFilled ? `e9${at} textbox: x` : `e9${at} textbox`}\n${button}`
    const acted = (changes: string) => ({
      ok: true as const,
      value: { url: `https://shop.test/${this.clicked}`, title: '', changes },
    })
    switch (command) {
      case 'tab_list':
        return { ok: true, value: { tabs: [{ id: 't1', ...page, selected: true }] } }
      case 'snapshot':
        return { ok: true, value: { ...page, text: at < goal ? text : 'All done', more: 0 } }
      case 'type':
        if (this.#isFilled || input.target !== `e9${at}`) this.#find(`${input.target} typed again`)
        this.#isFilled = true
        return acted('filled')
      case 'click':
        if (input.target !== `e${at}`) this.#find(`${input.target} clicked on ${url}`)
        this.clicked++
        this.#isFilled = false
        return acted('gone on')
      default:
        return { ok: false, error: { type: 'bad_request', message: `no ${command} here` } }
    }
  }

  #find(what: string): void {
    this.findings.push(`at ${Math.round(this.timeline.nowMs)} ms: ${what}`)
  }

  /** Reads the page, and does what it asks for. */
  #model(process: SimProcess): TaskModel {
    return {
      provider: 'openai',
      model: 'played',
      ask: ({ user, tools }, signal) =>
        this.#call(process, () => {
          signal.throwIfAborted()
          if (!this.#isCalm && this.random.chance(0.1)) throw this.#trouble()
          const isCheck = tools.some(({ name }) => name === 'verdict')
          const calls = isCheck ? [fine] : callsFor(user)
          return { text: '', calls, usage, model: 'played' }
        }),
    }
  }

  #trouble(): ModelFailure {
    const kind = this.random.pick(['rate_limited', 'network', 'malformed'] as const)
    return new ModelFailure(kind, kind)
  }
}

/** A thread would not be on the virtual timeline, so no order here has a schema. */
const noSchemas = { fit: () => Promise.reject(new Error('there is no schema')) }
const longer = { timeoutMs: 3_600_000, finalCheck: true }
const fine = { id: '', name: 'verdict', arguments: '{"accomplished":true,"missing":""}' }

function callsFor(user: ModelRequest['user']) {
  const text = user.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
  const page = text.slice(text.lastIndexOf('# Page'))
  const call = (name: string, input: object) => ({ id: '', name, arguments: JSON.stringify(input) })
  const [, place] = /e(\d+) button "Go on/.exec(page) ?? []
  if (place === undefined) return [call('done', { success: true, answer: 'There.' })]
  const isFilled = page.includes('textbox: x')
  return [
    ...(isFilled ? [] : [call('type', { target: `e9${place}`, text: 'x' })]),
    call('click', { target: `e${place}` }),
  ]
}
