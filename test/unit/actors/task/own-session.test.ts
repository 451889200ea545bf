// Goal: the session that is made for a task ends with it, however late it is made. Method: the real
// actors of both, with a played store and browser host.
import { pino } from 'pino'
import t from 'tap'
import { sessionKind } from '../../../../actors/session/kind.ts'
import { ownSessionId } from '../../../../actors/task/state/context.ts'
import type { TaskEffectDeps } from '../../../../actors/task/effects/deps.ts'
import { taskKind } from '../../../../actors/task/kind.ts'
import { encode } from '../../../../proto/codec.ts'
import { createdQuery, type AnyActorProtocol } from '../../../../proto/actor.ts'
import type { ActorMessage } from '../../../../proto/envelope.ts'
import { fromWireError, ServiceError } from '../../../../proto/errors.ts'
import type { HostRecord } from '../../../../proto/host.ts'
import { newIncarnation } from '../../../../proto/ids.ts'
import type { TaskInput } from '../../../../proto/task/task.ts'
import type { AnyActorKind } from '../../../../runtime/actor/actor-kind.ts'
import type { Bus } from '../../../../runtime/store/bus.ts'
import { Cell } from '../../../../runtime/actor/cell/cell.ts'
import { readLastEntry } from '../../../../runtime/actor/log.ts'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import { ViewPublisher } from '../../../../runtime/actor/views.ts'
import { order } from '../../../helpers/tasks/story.ts'
import { ampleRoom } from '../../../../runtime/actor/log-room.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'

const log = pino({ level: 'silent' })
const taskId = 'tsk_01'
const sessionId = ownSessionId(taskId)
const incarnation = newIncarnation('n1', 'node-agent')

const host: HostRecord = {
  state: 'alive',
  incarnation,
  nodeId: 'n1',
  role: 'node-agent',
  leaseMs: 1,
  machine: 'm',
  version: '0',
}

/** Both actors, wherever they are; requests to the session wait until they are released. */
class Stage {
  readonly timeline = new Timeline()
  readonly #clock = new SimProcess(this.timeline, 'p').clock
  readonly #store = new MemoryStore()
  readonly #cells = new Map<string, Cell>()
  /** Creations of the session in progress, the first of them held up. */
  readonly held: (() => void)[] = []
  #makings = 0
  #requests = 0

  async begin(more: Partial<TaskInput['order']> = {}): Promise<void> {
    const { sessionId: _, ...own } = order
    const who = { tenant: 'acme', keyId: 'k', keyName: 'ci' }
    const input: TaskInput = {
      id: taskId,
      ...who,
      createdAtMs: this.#clock.now(),
      order: { ...own, ...more },
    }
    await this.timeline.until(this.#make('task', taskId, input), 1_000)
  }

  async tell(type: string): Promise<void> {
    await this.timeline.until(this.#ask('task', taskId, { type }), 1_000)
  }

  /** Undefined when it has no history. */
  async stateOf(kind: string, id: string) {
    const last = await readLastEntry(this.#store.log, kind, id)
    if (!last) return undefined
    const { value, context } = last.entry.snapshot as {
      value: string
      context: { readonly reason?: string | null }
    }
    return { state: value, ...(context.reason && { reason: context.reason }) }
  }

  async #make(kind: string, id: string, input: unknown): Promise<unknown> {
    if (kind === 'session' && ++this.#makings === 1) {
      await new Promise<void>((resolve) => void this.held.push(resolve))
    }
    if (!this.#cells.has(id)) this.#cells.set(id, await Cell.create(this.#options(kind, id), input))
    return this.#ask(kind, id, { type: createdQuery })
  }

  async #ask(kind: string, id: string, command: ActorMessage): Promise<unknown> {
    const cell = this.#cells.get(id)
    if (!cell) throw new ServiceError('not_found', `There is no such ${kind}.`)
    const deadlineMs = this.#clock.now() + 60_000
    const reply = await cell.handle({ requestId: `r${++this.#requests}`, deadlineMs, command })
    if ('elsewhere' in reply) throw new Error('it has moved')
    if (!reply.ok) throw fromWireError(reply.error)
    return reply.value
  }

  #options(kind: string, id: string) {
    const clock = this.#clock
    const random = () => 0.5
    const views = this.#store.bucket('views')
    return {
      kind: this.#kind(kind),
      ownership: { kind, id, epoch: 1, revision: 1 },
      incarnation: 'h1.actors.x',
      writer: { log: this.#store.log, clock, random, mayWrite: () => true, room: ampleRoom },
      clock,
      views: new ViewPublisher({ views, kind, clock, random, log }),
      log,
      onFenced: () => undefined,
    }
  }

  #kind(kind: string): AnyActorKind {
    const directory = {
      ask: ({ kind }: AnyActorProtocol, id: string, command: ActorMessage) =>
        this.#ask(kind, id, command),
      create: ({ kind }: AnyActorProtocol, id: string, input: unknown) =>
        this.#make(kind, id, input),
    } as TaskEffectDeps['directory']
    if (kind === 'session') {
      const unlessGone = <T>(waited: Promise<T>) => waited
      const membership = { available: () => [host], get: () => host, unlessGone } as never
      const serviceAudit = { add: () => undefined }
      const sealer = { open: (text: string) => text, seal: (text: string) => text }
      const shared = {
        ...{ bus, clock: this.#clock, directory, serviceAudit, sealer },
        profiles: {} as never,
        extensions: {} as never,
      }
      return sessionKind({ ...shared, membership, queueWaitMs: 1_000 })
    }
    return taskKind({
      bus,
      clock: this.#clock,
      directory,
      steps: this.#store.log,
      pictures: this.#store.log,
      models: { open: () => Promise.reject(new Error('it gets to no model')) },
      schemas: { fit: () => Promise.reject(new Error('it gets to no result')) },
      sealer: { open: () => '{}' },
      fillTickets: { issue: () => 'ticket' },
      log,
    })
  }
}

/** A browser host that always has a browser. */
const bus: Bus = {
  messageBytes: 1_000_000,
  serve: () => ({ stop: () => undefined }),
  request: async (subject) => {
    const claim = { nodeId: 'n1', incarnation, browserId: 'brw_1' }
    return encode({ ok: true, value: subject.endsWith('claim') ? claim : { released: true } })
  },
}

t.test('a session made after its task was cancelled ends at once', async (t) => {
  const stage = new Stage()
  await stage.begin()
  await stage.timeline.untilTrue(() => stage.held.length > 0, 1_000, 'it is on its way')
  await stage.tell('cancel')
  await stage.timeline.run(1_000)
  t.match(await stage.stateOf('task', taskId), { state: 'cancelled' })
  for (const arrive of stage.held) arrive()
  await stage.timeline.run(1_000)
  t.same(await stage.stateOf('session', sessionId), { state: 'ended', reason: 'task_over' })
})

t.test('a session that is still starting ends with its task', async (t) => {
  const stage = new Stage()
  await stage.begin()
  await stage.timeline.untilTrue(() => stage.held.length > 0, 1_000, 'it is on its way')
  for (const arrive of stage.held) arrive()
  await stage.tell('cancel')
  await stage.timeline.run(1_000)
  t.match(await stage.stateOf('task', taskId), { state: 'cancelled' })
  t.same(await stage.stateOf('session', sessionId), { state: 'ended', reason: 'task_over' })
})
