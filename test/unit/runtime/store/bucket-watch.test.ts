// Goal: a watcher reports every change once and in order, whichever of them reach it: late, twice,
// with gaps or not at all.
import fc from 'fast-check'
import t from 'tap'
import { BucketWatcher } from '../../../../runtime/store/nats/bucket-watch.ts'
import {
  StoreRolledBack,
  StoreUnavailable,
  type BucketChange,
} from '../../../../runtime/store/store.ts'

const change = (revision: number): BucketChange => ({ type: 'delete', key: 'k', revision })

/** A bucket whose changes have these revisions. */
function watching(revisions: number[], next = readFrom(revisions)) {
  const told: number[] = []
  const onChange = ({ revision }: BucketChange) => void told.push(revision)
  const last = async () => Math.max(0, ...revisions)
  return { told, watcher: new BucketWatcher({ name: 'b', next, last, onChange }, 0) }
}

function readFrom(revisions: readonly number[]) {
  return async (from: number) => {
    const revision = revisions.find((each) => each >= from)
    return revision === undefined ? undefined : change(revision)
  }
}

t.test('changes that arrive in order are reported without a read', async (t) => {
  const { told, watcher } = watching([], () => t.fail('read') as never)
  t.teardown(() => watcher.stop())
  for (const revision of [1, 2, 3]) watcher.offer(change(revision))
  t.same(told, [1, 2, 3])
})

t.test('losses, repeats and disorder in any mixture still give every change once', async (t) => {
  const revisions = fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { minLength: 1 })
  const property = fc.asyncProperty(revisions, fc.infiniteStream(fc.nat()), async (some, dice) => {
    const stored = some.toSorted((a, b) => a - b)
    const { told, watcher } = watching(stored)
    for (let offers = 0; offers < 60; offers++) {
      const die = dice.next().value!
      watcher.offer(change(stored[die % stored.length]!))
      if (die % 3 === 0) await Promise.resolve()
    }
    await watcher.catchUp()
    watcher.stop()
    return told.join() === stored.join()
  })
  await t.resolves(fc.assert(property))
})

t.test('an unavailable store is asked again', async (t) => {
  let away = true
  const read = readFrom([4, 9])
  const { told, watcher } = watching([], async (from) => {
    if (away) throw new StoreUnavailable('read')
    return read(from)
  })
  t.teardown(() => watcher.stop())
  await watcher.catchUp()
  t.same(told, [])
  away = false
  watcher.offer(change(9))
  await watcher.catchUp()
  t.same(told, [4, 9])
})

t.test('a stopped watcher reports nothing more', async (t) => {
  const { told, watcher } = watching([1, 2])
  watcher.stop()
  watcher.offer(change(1))
  await watcher.catchUp()
  t.same(told, [])
})

t.test('a watcher that has everything confirms it without a read of a change', async (t) => {
  const { told, watcher } = watching([1, 2], () => t.fail('read') as never)
  t.teardown(() => watcher.stop())
  watcher.offer(change(1))
  watcher.offer(change(2))
  await watcher.confirm()
  t.same(told, [1, 2])
})

t.test('what was lost is read before it is confirmed', async (t) => {
  const { told, watcher } = watching([1, 2, 3])
  t.teardown(() => watcher.stop())
  watcher.offer(change(1))
  await watcher.confirm()
  t.same(told, [1, 2, 3])
})

t.test('what cannot be read is not confirmed', async (t) => {
  const { watcher } = watching([1], () => Promise.reject(new StoreUnavailable('away')))
  t.teardown(() => watcher.stop())
  await t.rejects(watcher.confirm(), StoreUnavailable)
})

t.test('a store that is behind what was delivered is told as rolled back', async (t) => {
  const revisions = [1, 2, 3]
  const { watcher } = watching(revisions)
  t.teardown(() => watcher.stop())
  await watcher.confirm()
  revisions.pop()
  await t.rejects(watcher.confirm(), StoreRolledBack)
})

t.test('what was removed from the end is not waited for, once it is sure', async (t) => {
  const revisions = [1, 2, 3]
  const told: number[] = []
  const onChange = ({ revision }: BucketChange) => void told.push(revision)
  const next = readFrom(revisions)
  const watcher = new BucketWatcher({ name: 'b', next, last: async () => 5, onChange }, 0)
  t.teardown(() => watcher.stop())
  await watcher.confirm()
  t.same(told, [1, 2, 3])
  revisions.push(4)
  await watcher.confirm()
  t.same(told, [1, 2, 3, 4], 'the server was behind')
  await watcher.confirm()
  watcher.offer(change(6))
  t.same(told, [1, 2, 3, 4, 6], 'the sixth follows the fifth, which is gone')
})
