// Goal: a write is repeated after a conflict alone, and a limited number of times.
import t from 'tap'
import { retryConflicts } from '../../../../runtime/store/retry-conflicts.ts'
import { StoreConflict, StoreUnavailable } from '../../../../runtime/store/store.ts'

t.test('writes again after a conflict', async (t) => {
  const written = await retryConflicts(3, async (attempt) => {
    if (attempt < 3) throw new StoreConflict('a key')
    return attempt
  })
  t.equal(written, 3)
})

t.test('gives up with the last conflict, or what is made of it', async (t) => {
  let attempts = 0
  const write = async () => {
    throw new StoreConflict(`key ${++attempts}`)
  }
  await t.rejects(retryConflicts(2, write), { message: 'key 2 was changed by someone else' })
  t.equal(attempts, 2)
  const busy = (cause: StoreConflict) => new Error('busy', { cause })
  await t.rejects(retryConflicts(2, write, busy), {
    message: 'busy',
    cause: { message: 'key 4 was changed by someone else' },
  })
})

t.test('every other failure is thrown at once', async (t) => {
  let attempts = 0
  const write = async () => {
    attempts++
    throw new StoreUnavailable('a key')
  }
  await t.rejects(retryConflicts(5, write), { name: 'StoreUnavailable' })
  t.equal(attempts, 1)
})
