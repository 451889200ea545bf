// Goal: a caller reaches an actor wherever it lives: its mailbox first, placement when it has no
// owner, and another try while it moves.
import { pino } from 'pino'
import t from 'tap'
import { decode, encode } from '../../../../proto/codec.ts'
import type { CommandEnvelope, PlaceReply, PlaceRequest } from '../../../../proto/envelope.ts'
import type { ErrorType } from '../../../../proto/errors.ts'
import type { HostRecord } from '../../../../proto/host.ts'
import { subjects } from '../../../../proto/subjects.ts'
import { Directory } from '../../../../runtime/actor/directory.ts'
import { Membership } from '../../../../runtime/cluster/membership.ts'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import { counterActor } from '../../../helpers/runtime/counter-kind.ts'
import { Random } from '../../../sim/world/random.ts'
import { SimBus, SubjectTable } from '../../../sim/world/bus.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'
import { SimLink } from '../../../sim/world/link.ts'
import { actorLimits } from '../../../../runtime/actor/limits.ts'

const host: HostRecord = {
  state: 'alive',
  incarnation: 'h1.actors.1',
  nodeId: 'h1',
  role: 'actors',
  leaseMs: 6_000,
  machine: 'm',
  version: '0',
}
const mailbox = subjects.mailbox('counter', 'c1')
const adopt = subjects.adopt(host.incarnation)
const place = subjects.place('counter')

async function stage() {
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'caller')
  const random = new Random(1)
  const table = new SubjectTable()
  const bus = (name: string) =>
    new SimBus(table, new SimLink(new SimProcess(timeline, name), random))
  const hosts = new MemoryStore().bucket('hosts')
  await hosts.create(host.incarnation, encode(host))
  const log = pino({ level: 'silent' })
  const membership = await Membership.open({ hosts, clock, log })
  const asked: string[] = []
  const requestIds = new Set<string>()
  /** What the last message says about earlier ones. */
  const last: { answered?: readonly string[] } = {}
  const server = bus('h1')
  /** Answers in order; the last answer is repeated. */
  const serve = (subject: string, ...replies: PlaceReply[]) =>
    server.serve(subject, async (payload) => {
      asked.push(subject)
      const message = decode<CommandEnvelope | PlaceRequest>(payload)
      const envelope = 'envelope' in message ? message.envelope : message
      requestIds.add(envelope.requestId)
      last.answered = envelope.answered ?? []
      return encode(replies.length > 1 ? replies.shift() : replies[0])
    })
  const directory = new Directory(bus('caller'), clock, membership)
  const settle = <T>(promise: Promise<T>) => timeline.until(promise, 60_000)
  return { timeline, clock, asked, requestIds, last, serve, directory, settle }
}

const fine: PlaceReply = { ok: true, value: 42 }
const refusal = (type: ErrorType): PlaceReply => ({ ok: false, error: { type, message: type } })

t.test('a live actor is asked where it lives', async (t) => {
  const { serve, directory, settle, asked } = await stage()
  serve(mailbox, fine)
  t.equal(await settle(directory.ask(counterActor, 'c1', { type: 'get' })), 42)
  t.strictSame(asked, [mailbox])
})

t.test('one without an owner is placed on the host that all would choose', async (t) => {
  const { serve, directory, settle, asked } = await stage()
  serve(adopt, fine)
  serve(place, fine)
  t.equal(await settle(directory.ask(counterActor, 'c1', { type: 'get' })), 42)
  t.strictSame(asked, [adopt])
})

t.test('when that host is gone, any other takes it', async (t) => {
  const { serve, directory, settle, asked } = await stage()
  serve(place, fine)
  t.equal(await settle(directory.ask(counterActor, 'c1', { type: 'get' })), 42)
  t.strictSame(asked, [place])
})

t.test('a creation goes directly to the host where the actor will live', async (t) => {
  const { serve, directory, settle, asked } = await stage()
  serve(mailbox, fine)
  serve(adopt, fine)
  t.equal(await settle(directory.create(counterActor, 'c1', { id: 'c1', tenant: 'acme' })), 42)
  t.strictSame(asked, [adopt])
})

t.test('while it moves it is asked again, under one request id', async (t) => {
  const { serve, directory, settle, asked, requestIds } = await stage()
  serve(mailbox, { elsewhere: true }, { elsewhere: true }, fine)
  t.equal(await settle(directory.ask(counterActor, 'c1', { type: 'get' })), 42)
  t.equal(asked.length, 3)
  t.equal(requestIds.size, 1)
})

t.test('a refusal is passed on at once', async (t) => {
  const { serve, directory, settle, asked } = await stage()
  serve(mailbox, refusal('conflict'))
  await t.rejects(settle(directory.ask(counterActor, 'c1', { type: 'get' })), {
    name: 'ServiceError',
    type: 'conflict',
  })
  t.equal(asked.length, 1)
})

t.test('without any host it fails at the deadline, not before', async (t) => {
  const { directory, settle, clock } = await stage()
  const ask = directory.ask(counterActor, 'c1', { type: 'get' }, { timeoutMs: 5_000 })
  await t.rejects(settle(ask), { name: 'ServiceError', type: 'timeout' })
  t.ok(clock.monotonic() >= 5_000)
  t.ok(clock.monotonic() < 5_000 + actorLimits.askTryMs)
})

t.test('with the next command it names those that it will not repeat, and no others', async (t) => {
  const { serve, directory, settle, last, requestIds } = await stage()
  const add = (id: string) => settle(directory.ask(counterActor, 'c1', { type: 'add', id }))
  serve(mailbox, fine, { elsewhere: true }, fine)
  await add('r1')
  // Asked twice: the first of its messages may still arrive.
  await add('r2')
  const [first] = requestIds
  t.same(last.answered, [first])
  await add('r3')
  t.same(last.answered, [first], 'never the second')
})
