/**
 * Goal: a follower of a public stream gets each record once and in order, however much it missed;
 * appending a record again adds nothing.
 */
import t from 'tap'
import { subjects } from '../../../proto/subjects.ts'
import { systemClock } from '../../../runtime/lib/clock.ts'
import { NatsBus } from '../../../runtime/store/nats/nats-bus.ts'
import {
  FeedFollower,
  publishRecord,
  readFeed,
  type FeedRecord,
  type FeedEntry,
} from '../../../runtime/actor/feed.ts'
import { silent, startNats } from '../../helpers/nats/nats.ts'
import { until } from '../../helpers/lib/until.ts'

const nats = await startNats(t)
const { steps } = await nats.store()

function follow(subject: string, fromSeq: number, bus: NatsBus): number[] {
  const seen: number[] = []
  const onRecord = ({ record }: FeedEntry<FeedRecord>) => void seen.push(record.n)
  const options = { steps, bus, clock: systemClock, log: silent, subject, fromSeq, onRecord }
  const follower = new FeedFollower(options)
  t.teardown(() => follower.stop())
  return seen
}

async function placeAfter(subject: string, n: number): Promise<number> {
  for await (const { record, seq } of readFeed(steps, subject, 0)) {
    if (record.n === n) return seq + 1
  }
  throw new Error(`there is no record ${n} on ${subject}`)
}

const count = (to: number, from = 1) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

t.test('a follower gets stored records, then new ones, from any position', async (t) => {
  const subject = subjects.taskStep('tsk_a')
  const bus = new NatsBus(await nats.connect('follower'))
  for (const n of count(5)) await publishRecord(steps, subject, { n })
  const all = follow(subject, 0, bus)
  const some = follow(subject, await placeAfter(subject, 3), bus)
  await until('what is kept was told', () => all.length === 5 && some.length === 2)
  for (const n of count(40, 6)) await publishRecord(steps, subject, { n })
  await until('everything was told', () => all.length === 40 && some.length === 37)
  t.same(all, count(40))
  t.same(some, count(40, 4))
})

t.test('a repeated append adds nothing, one that leaves a gap is refused', async (t) => {
  const subject = subjects.taskStep('tsk_b')
  await publishRecord(steps, subject, { n: 1 })
  await publishRecord(steps, subject, { n: 1 })
  await Promise.all([
    publishRecord(steps, subject, { n: 2 }),
    publishRecord(steps, subject, { n: 2 }),
  ])
  await t.rejects(publishRecord(steps, subject, { n: 4 }), /cannot follow/)
  const seen = follow(subject, 0, new NatsBus(await nats.connect('follower')))
  await until('both were told', () => seen.length >= 2)
  t.same(seen, [1, 2])
})

t.test('with a wildcard, records of several streams arrive in the order of writing', async (t) => {
  const [step, state] = [subjects.taskStep('tsk_d'), subjects.taskState('tsk_d')]
  await publishRecord(steps, subjects.taskStep('tsk_other'), { n: 1 })
  const written = [state, step, step, state, step]
  const numbers = [1, 1, 2, 2, 3]
  for (const [i, subject] of written.entries()) {
    await publishRecord(steps, subject, { n: numbers[i]! })
  }
  const seen = follow(subjects.taskRecords('tsk_d'), 0, new NatsBus(await nats.connect('follower')))
  await until('all were told', () => seen.length === written.length)
  t.same(seen, numbers)
  t.equal((await steps.last(subjects.taskRecords('tsk_d')))?.subject, step)
})

t.test('a follower misses nothing when its server is killed', async (t) => {
  const subject = subjects.taskStep('tsk_c')
  const seen = follow(subject, 0, new NatsBus(await nats.connect('follower')))
  await publishRecord(steps, subject, { n: 1 })
  await until('the first was told', () => seen.length === 1)
  await nats.kill()
  await nats.start()
  for (const n of count(9, 2)) {
    await until(`record ${n} is accepted`, () =>
      publishRecord(steps, subject, { n }).then(
        () => true,
        () => false,
      ),
    )
  }
  await until('every record was told', () => seen.length === 9)
  t.same(seen, count(9))
})
