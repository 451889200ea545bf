// Goal: an actor remembers a request that made an entry for as long as it may be repeated, and no
// longer. Method: its list of ids alone, and a real directory whose bus answers as each case needs.
import t from 'tap'
import { decode, encode } from '../../../../../proto/codec.ts'
import type { CommandEnvelope, PlaceRequest } from '../../../../../proto/envelope.ts'
import { limits } from '../../../../../proto/limits.ts'
import { requestsToLog } from '../../../../../runtime/actor/requests/done-requests.ts'
import { Directory } from '../../../../../runtime/actor/directory.ts'
import { actorLimits } from '../../../../../runtime/actor/limits.ts'
import {
  deadlineOfRequest,
  newRequestId,
} from '../../../../../runtime/actor/requests/request-id.ts'
import { systemClock } from '../../../../../runtime/lib/clock.ts'
import { BusTimeout, NoResponders } from '../../../../../runtime/store/bus.ts'
import { counterActor } from '../../../../helpers/runtime/counter-kind.ts'

const now = 1_000_000
const later = (ms: number) => newRequestId(now, now + ms)

t.test('an id contains the deadline of its request', async (t) => {
  t.equal(deadlineOfRequest(later(30_000)), now + 30_000)
  t.equal(deadlineOfRequest('req_01ARZ3NDEKTSV4RRFFQ69G5FAV'), undefined)
  t.equal(deadlineOfRequest('close-once'), undefined)
})

t.test('an id is kept until its deadline, as the slowest clock sees it', async (t) => {
  const id = later(10_000)
  const lastMs = now + 10_000 + 2 * limits.clockSkewMs
  t.same(requestsToLog([id], undefined, lastMs), [id])
  t.same(requestsToLog([id], undefined, lastMs + 1), [])
})

t.test('an id whose answer its caller has is forgotten, and no other', async (t) => {
  const [first, second, third] = [later(1), later(2), later(3)]
  const logged = requestsToLog([first, second], { requestId: third, answered: [first] }, now)
  t.same(logged, [second, third])
})

t.test('however many are open, none is forgotten: a further command is refused', async (t) => {
  const open = Array.from({ length: actorLimits.requestsOpen }, () => later(10_000))
  const next = { requestId: later(10_000) }
  t.throws(() => requestsToLog(open, next, now), /Too many commands/)
  t.same(requestsToLog(open, undefined, now), open, 'other events go on')
  t.same(requestsToLog(open, { ...next, answered: [open[0]!] }, now), [
    ...open.slice(1),
    next.requestId,
  ])
})

t.test('of callers of an older version the last ids are kept', async (t) => {
  const old = Array.from({ length: 100 }, (_, i) => `req_${i}`)
  const next = later(1)
  t.same(requestsToLog(old, { requestId: next }, now), [...old.slice(-64), next])
})

function stage() {
  const sent: CommandEnvelope[] = []
  const troubles: Error[] = []
  const bus = {
    messageBytes: 1_000_000,
    async request(subject: string, message: Uint8Array) {
      const asked = decode<CommandEnvelope | PlaceRequest>(message)
      sent.push('envelope' in asked ? asked.envelope : asked)
      const trouble = troubles.shift()
      if (trouble) throw trouble
      return encode({ ok: true, value: { subject } })
    },
  }
  const membership = {
    available: () => [],
    unlessGone: <T>(waited: Promise<T>) => waited,
  }
  const directory = new Directory(bus as never, systemClock, membership as never)
  const add = (id = 'c1') => directory.ask(counterActor, id, { type: 'add', id: 'x' })
  const get = () => directory.ask(counterActor, 'c1', { type: 'get' })
  return { sent, troubles, add, get }
}

t.test('a caller says with its next command which ones it has answers to', async (t) => {
  const { sent, add, get } = stage()
  await add()
  await get()
  await add()
  await add()
  t.same(
    sent.map(({ answered }) => answered),
    [undefined, undefined, [sent[0]!.requestId], [sent[2]!.requestId]],
    'once each, and a query makes no entry',
  )
  await add('c2')
  t.notOk(sent[4]!.answered, 'only the actor that it asked')
})

t.test('a command of which a second message may be on its way is not reported', async (t) => {
  const { sent, troubles, add } = stage()
  troubles.push(new NoResponders('mailbox'), new BusTimeout('place', 1))
  const first = add()
  await first
  await add()
  t.equal(sent.length, 4)
  t.notOk(sent[3]!.answered)
})

t.test('one that only its second address has received is reported', async (t) => {
  const { sent, troubles, add } = stage()
  troubles.push(new NoResponders('mailbox'))
  await add()
  await add()
  t.same(sent[2]!.answered, [sent[0]!.requestId])
})
