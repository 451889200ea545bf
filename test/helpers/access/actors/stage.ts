/**
 * The actors of Surface A in one process on a virtual clock: real cells over the in-memory store,
 * found by a directory that cannot fail. The failures are in test/sim.
 */
import { defined } from '../../../../proto/defined.ts'
import { pino } from 'pino'
import { accessActorKinds } from '../../../../actors/registry.ts'
import { requestKind } from '../../../../actors/access/request/kind.ts'
import { accessPolicy, type AccessPolicy } from '../../../../actors/access/request/policy.ts'
import type { ActorMessage } from '../../../../proto/envelope.ts'
import { buckets } from '../../../../proto/subjects.ts'
import { fromWireError, ServiceError } from '../../../../proto/errors.ts'
import type { AnyActorKind } from '../../../../runtime/actor/actor-kind.ts'
import { RecordStore } from '../../../../runtime/access/records/record-store.ts'
import { Cell, noSuchActor } from '../../../../runtime/actor/cell/cell.ts'
import type { Clock } from '../../../../runtime/lib/clock.ts'
import type { AskOptions, Directory } from '../../../../runtime/actor/directory.ts'
import type { LogEntry } from '../../../../runtime/actor/log.ts'
import { MemoryStore } from '../../runtime/memory-store.ts'
import { ViewPublisher } from '../../../../runtime/actor/views.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'
import { layBasis } from './story.ts'
import { ampleRoom } from '../../../../runtime/actor/log-room.ts'
import { readHistory } from '../../runtime/log-checker.ts'

const log = pino({ level: 'silent' })
const random = () => 0.5
const settlesWithinMs = 600_000

/** The actors' own clock; the policy is read at each request, so that a test may change it. */
export class AccessStage {
  readonly timeline = new Timeline()
  readonly store = new MemoryStore()
  readonly clock: Clock = new SimProcess(this.timeline, 'stage').clock
  readonly records = new RecordStore(this.store.bucket(buckets.records))
  policy: AccessPolicy = accessPolicy
  /** Called with each answer; if it throws, the caller gets that error instead. */
  onAnswer: (kind: string, type: string, answer: unknown) => void = () => undefined
  readonly directory: Pick<Directory, 'ask' | 'create'> = {
    ask: ({ kind }, id, message, options) => this.#converse(kind, id, message, options),
    create: async ({ kind }, id, input, options) => {
      await this.#create(kind, id, input)
      return this.#converse(kind, id, { type: 'created' }, options)
    },
  }
  readonly #kinds: ReadonlyMap<string, AnyActorKind>
  readonly #cells = new Map<string, Cell>()
  #requests = 0

  constructor() {
    const { directory, clock } = this
    const policy: AccessPolicy = (facts) => this.policy(facts)
    const kinds = accessActorKinds({
      ...{ directory, clock, records: this.records },
      views: this.store.bucket(buckets.views),
    })
    const own = requestKind({ directory, clock, policy })
    this.#kinds = new Map([...kinds, own].map((kind) => [kind.protocol.kind, kind]))
  }

  /** Starts with an active client and everything that a grant needs. */
  static async begin(): Promise<AccessStage> {
    const stage = new AccessStage()
    await stage.until(layBasis(stage.directory, stage.clock.now()))
    return stage
  }

  until<T>(promise: Promise<T>): Promise<T> {
    return this.timeline.until(promise, settlesWithinMs)
  }

  history(kind: string, id: string): Promise<LogEntry[]> {
    return readHistory(this.store.log, kind, id)
  }

  async #create(kindName: string, id: string, input: unknown): Promise<void> {
    const key = `${kindName}.${id}`
    if (this.#cells.has(key)) return
    const kind = this.#kinds.get(kindName)!
    const { clock, store } = this
    const views = store.bucket('views')
    const cell = await Cell.create(
      {
        kind,
        ownership: { kind: kindName, id, epoch: 1, revision: 1 },
        incarnation: 'stage.actors.1',
        writer: { log: store.log, clock, random, mayWrite: () => true, room: ampleRoom },
        clock,
        views: new ViewPublisher({ views, kind: kindName, clock, random, log }),
        log,
        onFenced: () => undefined,
      },
      input,
    )
    this.#cells.set(key, cell)
  }

  async #converse<T>(
    kind: string,
    id: string,
    command: ActorMessage,
    { tenant, untilSettled }: AskOptions = {},
  ): Promise<T> {
    const cell = this.#cells.get(`${kind}.${id}`)
    if (!cell) throw noSuchActor(kind)
    const reply = await cell.handle({
      requestId: `q${++this.#requests}`,
      deadlineMs: this.clock.now() + 30_000,
      command,
      ...defined({ tenant }),
      ...(untilSettled && { untilSettled }),
    })
    if ('elsewhere' in reply) throw new ServiceError('draining', 'it has moved')
    if (!reply.ok) throw fromWireError(reply.error)
    this.onAnswer(kind, command.type, reply.value)
    return reply.value as T
  }
}

/** The type of the error that it fails with; `fulfilled` when it succeeds. */
export async function typeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'fulfilled'
  } catch (error) {
    return error instanceof ServiceError ? error.type : String(error)
  }
}

/** The error that it fails with. */
export async function errorOf(work: Promise<unknown>): Promise<ServiceError> {
  try {
    await work
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
  throw new Error('it did not fail')
}
