// Goal: a cell makes an event durable before it takes effect, answers a request once, and stops
// when it is fenced.
import { once } from 'node:events'
import { pino } from 'pino'
import t from 'tap'
import { encode } from '../../../../proto/codec.ts'
import type { CommandEnvelope, PlaceReply } from '../../../../proto/envelope.ts'
import { limits } from '../../../../proto/limits.ts'
import { subjects } from '../../../../proto/subjects.ts'
import type { AnyActorKind } from '../../../../runtime/actor/actor-kind.ts'
import { Cell, type CellOptions } from '../../../../runtime/actor/cell/cell.ts'
import { firstStepOf } from '../../../../runtime/actor/cell/machine.ts'
import { Speculation } from '../../../../runtime/actor/cell/speculation.ts'
import { readLastEntry, type LogEntry } from '../../../../runtime/actor/log.ts'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import { StoreFull, StoreUnavailable, type LogStore } from '../../../../runtime/store/store.ts'
import { ViewPublisher } from '../../../../runtime/actor/views.ts'
import {
  counterKind,
  type CounterReply,
  type Perform,
} from '../../../helpers/runtime/counter-kind.ts'
import { contextOf, readHistory } from '../../../helpers/runtime/log-checker.ts'
import type { Said } from '../../../helpers/runtime/said.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'
import { ampleRoom } from '../../../../runtime/actor/log-room.ts'
import { actorLimits } from '../../../../runtime/actor/limits.ts'

const input = { id: 'c1', tenant: 'acme' }
const log = pino({ level: 'silent' })
const random = () => 0.5

function stage(store = new MemoryStore(), kind: AnyActorKind = counterKind(async () => undefined)) {
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'p')
  let mayWrite = true
  let appendFails = 0
  let Failure = StoreUnavailable
  const fenced: string[] = []
  const flaky: LogStore = {
    append: async (subject, data, expectedSeq) => {
      if (appendFails-- > 0) throw new Failure(subject)
      return store.log.append(subject, data, expectedSeq)
    },
    last: (subject) => store.log.last(subject),
    read: (subject, fromSeq) => store.log.read(subject, fromSeq),
    purge: (subject) => store.log.purge(subject),
    trim: (...range) => store.log.trim(...range),
  }
  const options = (epoch: number): CellOptions => ({
    kind,
    ownership: { kind: 'counter', id: 'c1', epoch, revision: 1 },
    incarnation: `h${epoch}.actors.x`,
    writer: { log: flaky, clock, random, mayWrite: () => mayWrite, room: ampleRoom },
    clock,
    views: new ViewPublisher({ views: store.bucket('views'), kind: 'counter', clock, random, log }),
    log,
    onFenced: (_, reason) => fenced.push(reason),
  })
  let requests = 0
  const envelope = (command: Said, more: Partial<CommandEnvelope> = {}): CommandEnvelope => ({
    requestId: `q${++requests}`,
    deadlineMs: clock.now() + 10_000,
    command,
    ...more,
  })
  const settle = <T>(promise: Promise<T>) => timeline.until(promise, 60_000)
  return {
    timeline,
    clock,
    store,
    fenced,
    envelope,
    settle,
    options: () => options(1),
    create: () => settle(Cell.create(options(1), input)),
    recover: async (epoch: number) => {
      const last = await readLastEntry(store.log, 'counter', 'c1')
      return settle(Cell.recover(options(epoch), last!))
    },
    ask: (cell: Cell, command: Said, more?: Partial<CommandEnvelope>) =>
      settle(cell.handle(envelope(command, more))),
    history: () => readHistory(store.log, 'counter', 'c1'),
    loseLease: () => (mayWrite = false),
    failAppends: (times: number, kind = StoreUnavailable) => {
      appendFails = times
      Failure = kind
    },
  }
}

function valueOf(reply: PlaceReply): CounterReply {
  if ('elsewhere' in reply) throw new Error('it has moved')
  if (!reply.ok) throw new Error(`refused: ${reply.error.message}`)
  return reply.value as CounterReply
}

function errorOf(reply: PlaceReply) {
  if ('elsewhere' in reply) return 'elsewhere'
  return reply.ok ? undefined : reply.error.type
}

t.test(
  'an event is in the log, with the whole state after it, before its request is answered',
  async (t) => {
    const { create, ask, history } = stage()
    const cell = await create()
    t.equal(valueOf(await ask(cell, { type: 'add', id: 'r1' })).count, 1)
    const [first, second, ...rest] = await history()
    t.strictSame(rest, [])
    t.equal(first?.event.type, 'created')
    t.match(second, { n: 2, epoch: 1, writer: 'h1.actors.x', event: { type: 'add', id: 'r1' } })
    t.match(second?.snapshot, { context: { taken: ['r1'] } })
  },
)

t.test('a store that does not answer is asked until it does', async (t) => {
  const { create, ask, history, failAppends } = stage()
  const cell = await create()
  failAppends(3)
  t.equal(valueOf(await ask(cell, { type: 'add', id: 'r1' })).count, 1)
  t.equal((await history()).length, 2)
})

t.test('without room a request is refused at once, and does nothing', async (t) => {
  const { create, ask, history, failAppends } = stage()
  const cell = await create()
  failAppends(1, StoreFull)
  t.equal(errorOf(await ask(cell, { type: 'add', id: 'r1' })), 'storage_full')
  t.equal((await history()).length, 1)
  t.equal(valueOf(await ask(cell, { type: 'add', id: 'r1' })).count, 1)
})

t.test(
  'of a trimmed log, the last entry stays when there is no room or it has ended',
  async (t) => {
    const kind: AnyActorKind = { ...counterKind(async () => undefined), trimsLog: true }
    const { create, recover, ask, history, failAppends } = stage(undefined, kind)
    const cell = await create()
    await ask(cell, { type: 'add', id: 'r1' })
    failAppends(1, StoreFull)
    t.equal(valueOf(await ask(cell, { type: 'add', id: 'r2' })).count, 2)
    t.same(await numbersOf(history()), [2, 3], 'the first one went, for the third')
    await cell.trimEnded()
    t.same(await numbersOf(history()), [2, 3], 'it has not ended')
    const heir = await recover(2)
    await ask(heir, { type: 'finish', id: 'r3' })
    await heir.trimEnded()
    t.same(await numbersOf(history()), [5])
    t.equal(valueOf(await ask(await recover(3), { type: 'get' })).count, 3)
  },
)

t.test('the log of a running actor has a limit in bytes', async (t) => {
  const kind: AnyActorKind = { ...counterKind(async () => undefined), trimsLog: true }
  const { create, ask, history } = stage(undefined, kind)
  const cell = await create()
  const large = (n: number) => `${n}`.padEnd(actorLimits.logBytes / 4, '.')
  await ask(cell, { type: 'add', id: large(1) })
  t.same(await numbersOf(history()), [1, 2])
  await ask(cell, { type: 'add', id: large(2) })
  t.same(await numbersOf(history()), [3])
})

const numbersOf = async (entries: Promise<readonly LogEntry[]>) => (await entries).map(({ n }) => n)

t.test('what is not durable yet is not visible', async (t) => {
  const { create, envelope, settle, ask, failAppends } = stage()
  const cell = await create()
  failAppends(3)
  const added = cell.handle(envelope({ type: 'add', id: 'r1' }))
  t.equal(valueOf(await ask(cell, { type: 'get' })).count, 0)
  t.equal(valueOf(await settle(added)).count, 1)
})

t.test('a query writes nothing', async (t) => {
  const { create, ask, history } = stage()
  const cell = await create()
  t.equal(valueOf(await ask(cell, { type: 'get' })).count, 0)
  t.equal((await history()).length, 1)
})

t.test('a repeated request is answered and not done again, also by the next owner', async (t) => {
  const { create, recover, settle, envelope, history } = stage()
  const cell = await create()
  const request = envelope({ type: 'add', id: 'r1' })
  const replies = await settle(Promise.all([cell.handle(request), cell.handle(request)]))
  t.strictSame(
    replies.map((reply) => valueOf(reply).count),
    [1, 1],
  )
  const heir = await recover(2)
  t.equal(valueOf(await settle(heir.handle(request))).count, 1)
  t.strictSame(
    (await history()).map(({ event }) => event.type),
    ['created', 'add', 'recovered'],
  )
})

t.test('the next owner answers a repeat that the first sending made impossible', async (t) => {
  const { create, recover, settle, envelope, ask } = stage()
  const cell = await create()
  const request = envelope({ type: 'finish', id: 'r1' })
  await settle(cell.handle(request))
  const heir = await recover(2)
  t.equal(valueOf(await settle(heir.handle(request))).count, 1)
  t.equal(errorOf(await ask(heir, { type: 'finish', id: 'r2' })), 'session_ended')
})

t.test('an unknown command, and one that comes too late, is refused', async (t) => {
  const { create, ask, clock } = stage()
  const cell = await create()
  t.equal(errorOf(await ask(cell, { type: 'effect.done' })), 'bad_request')
  const deadlineMs = clock.now() - limits.clockSkewMs - 1
  t.equal(errorOf(await ask(cell, { type: 'add', id: 'r1' }, { deadlineMs })), 'timeout')
})

t.test('for another tenant the actor does not exist', async (t) => {
  const { create, ask, history } = stage()
  const cell = await create()
  const tenant = 'other'
  t.equal(errorOf(await ask(cell, { type: 'get' }, { tenant })), 'not_found')
  t.equal(errorOf(await ask(cell, { type: 'add', id: 'r1' }, { tenant })), 'not_found')
  t.equal(errorOf(await ask(cell, { type: 'get' }, { tenant: 'acme' })), undefined)
  t.equal((await history()).length, 1)
})

t.test('an owner that was replaced is fenced at its next write, and stays silent', async (t) => {
  const { create, recover, ask, fenced, history } = stage()
  const old = await create()
  const heir = await recover(2)
  t.equal(errorOf(await ask(old, { type: 'add', id: 'r1' })), 'elsewhere')
  t.equal(fenced.length, 1)
  t.equal(errorOf(await ask(old, { type: 'add', id: 'r2' })), 'elsewhere')
  t.equal(valueOf(await ask(heir, { type: 'add', id: 'r3' })).count, 1)
  t.strictSame(
    (await history()).map(({ epoch }) => epoch),
    [1, 2, 2],
  )
})

t.test('without a lease nothing is written and nothing is read', async (t) => {
  const { create, ask, loseLease, history } = stage()
  const cell = await create()
  loseLease()
  t.equal(errorOf(await ask(cell, { type: 'get' })), 'elsewhere')
  t.equal(errorOf(await ask(cell, { type: 'add', id: 'r1' })), 'elsewhere')
  t.equal((await history()).length, 1)
})

t.test('a new owner whose fence meets a late entry of the old one takes it in', async (t) => {
  const { create, recover, ask, store, history } = stage()
  await create()
  const subject = subjects.log('counter', 'c1')
  const [entry] = await history()
  const { append, last } = store.log
  // The old owner's last append lands just before the new owner's first.
  let isFirst = true
  store.log.append = async (...args) => {
    if (!isFirst) return append.apply(store.log, args)
    isFirst = false
    const { seq } = (await last.call(store.log, subject))!
    const late = { ...entry!, n: 2, event: { type: 'add', id: 'late' } }
    await append.call(store.log, subject, encode(late), seq)
    return append.apply(store.log, args)
  }
  const heir = await recover(2)
  t.equal(valueOf(await ask(heir, { type: 'get' })).epoch, 2)
  t.strictSame(
    (await history()).map(({ n, epoch, event }) => [n, epoch, event.type]),
    [
      [1, 1, 'created'],
      [2, 1, 'add'],
      [3, 2, 'recovered'],
    ],
  )
})

t.test('a caller that waits until it is settled is answered after the effect', async (t) => {
  const { create, ask, history } = stage()
  const cell = await create()
  await ask(cell, { type: 'note', id: 'r1' }, { untilSettled: true })
  t.strictSame(
    (await history()).map(({ event }) => event.type),
    ['created', 'note', 'effect.done'],
  )
})

/** A counter that no longer needs its effects once it is finished. */
function fickle(perform: Perform): AnyActorKind {
  const wants: AnyActorKind['wants'] = (snapshot) => snapshot.value === 'counting'
  return { ...counterKind(perform), wants }
}

t.test('an effect that is no longer needed is aborted, and its end not reported', async (t) => {
  const signals: AbortSignal[] = []
  const kind = fickle(async (_kind, _id, { signal }) => {
    signals.push(signal)
    await once(signal, 'abort')
  })
  const { create, ask, history } = stage(new MemoryStore(), kind)
  const cell = await create()
  await ask(cell, { type: 'strike', id: 'r1' })
  t.match(await history(), [{ pending: [] }, { pending: [{ kind: 'strike' }] }])
  t.equal(signals[0]?.aborted, false)
  await ask(cell, { type: 'finish', id: 'r2' })
  t.ok(signals[0]?.aborted)
  const entries = await history()
  t.strictSame(entries.at(-1)?.pending, [])
  t.strictSame(contextOf(entries.at(-1)!).ended, {})
  t.equal(entries.length, 3)
})

t.test('a queued event of an effect that was dropped meanwhile is not delivered', async (t) => {
  let finish = () => {}
  const kind = fickle(() => new Promise((resolve) => (finish = resolve)))
  const { create, envelope, settle, ask, history, failAppends } = stage(new MemoryStore(), kind)
  const cell = await create()
  await ask(cell, { type: 'note', id: 'r1' })
  failAppends(3)
  const finished = cell.handle(envelope({ type: 'finish', id: 'r2' }))
  finish()
  await settle(finished)
  await ask(cell, { type: 'get' })
  const entries = await history()
  t.equal(entries.at(-1)?.event.type, 'finish')
  t.strictSame(contextOf(entries.at(-1)!).ended, {})
})

t.test('a new owner does not start effects that the take-over has made needless', async (t) => {
  const begun: string[] = []
  const kind: AnyActorKind = {
    ...counterKind(async (_kind, id, { signal }) => {
      begun.push(id)
      await once(signal, 'abort')
    }),
    wants: (_snapshot, { params }) => (params as { id: string }).id !== 'r1' || begun.length === 0,
  }
  const { create, recover, ask } = stage(new MemoryStore(), kind)
  const cell = await create()
  await ask(cell, { type: 'note', id: 'r1' })
  await recover(2)
  t.strictSame(begun, ['r1'])
})

t.test('an effect with too large a result has failed; the actor goes on', async (t) => {
  const outcome = { type: 'effect.done', what: 'x'.repeat(actorLimits.entryBytes) }
  const kind: AnyActorKind = {
    ...counterKind(async () => undefined),
    effects: { note: async () => outcome },
  }
  const { create, ask, history } = stage(new MemoryStore(), kind)
  const cell = await create()
  await ask(cell, { type: 'note', id: 'r1' }, { untilSettled: true })
  const last = (await history()).at(-1)!
  t.match(last.event, { type: 'effect.failed', error: { type: 'too_large' } })
  t.strictSame(last.pending, [])
})

t.test(
  'what a new actor asks for may begin before its first entry, and then begins once',
  async (t) => {
    const begun: string[] = []
    const kind: AnyActorKind = {
      ...counterKind(async (_, id, { signal }) => {
        begun.push(id)
        signal.addEventListener('abort', () => begun.push('aborted'))
      }),
      speculative: ['note'],
    }
    const { options, settle, history, timeline } = stage(new MemoryStore(), kind)
    const requested = ['note', 'strike'].map((kind) => {
      return { kind, retry: 'safe', params: { id: kind } } as const
    })
    const firstStep = { ...firstStepOf(kind, input), requested }
    const speculation = new Speculation(kind, { id: 'c1', epoch: 1 }, firstStep)
    t.same(begun, ['note'], 'the other one waits')
    t.same(await history(), [])
    const cell = await settle(Cell.begin(options(), firstStep, speculation))
    await timeline.run(50)
    t.same(begun, ['note', 'strike'])
    t.same(Object.keys(contextOf((await history()).at(-1)!).ended), ['c1:1:0', 'c1:1:1'])
    await settle(cell.stop())

    new Speculation(kind, { id: 'c2', epoch: 1 }, firstStep).cancel()
    t.same(begun.slice(2), ['note', 'aborted'])
  },
)
