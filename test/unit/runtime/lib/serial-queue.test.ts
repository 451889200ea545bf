// Goal: work runs one at a time and in order, and a failure reaches its caller alone.
import t from 'tap'
import { SerialQueue } from '../../../../runtime/lib/serial-queue.ts'

function heldWork() {
  let finish = () => {}
  const held = new Promise<void>((resolve) => (finish = resolve))
  return { held, finish }
}

t.test('work waits for what was added before it', async (t) => {
  const queue = new SerialQueue()
  const done: string[] = []
  const { held, finish } = heldWork()
  const first = queue.run(async () => {
    await held
    done.push('first')
    return 1
  })
  const second = queue.run(() => {
    done.push('second')
    return 2
  })
  t.equal(queue.size, 2)
  await new Promise(setImmediate)
  t.same(done, [], 'the second has not begun')
  finish()
  t.same(await Promise.all([first, second]), [1, 2])
  t.same(done, ['first', 'second'])
  t.equal(queue.size, 0)
})

t.test('work that fails does not stop the next, whether it throws or rejects', async (t) => {
  const queue = new SerialQueue()
  const thrown = queue.run(() => {
    throw new Error('thrown')
  })
  const rejected = queue.run(() => Promise.reject(new Error('rejected')))
  const next = queue.run(() => `after ${queue.size}`)
  await t.rejects(thrown, { message: 'thrown' })
  await t.rejects(rejected, { message: 'rejected' })
  t.equal(await next, 'after 1', 'what has failed no longer counts')
})

t.test('settled waits for what was added before it, also if that fails', async (t) => {
  const queue = new SerialQueue()
  await queue.settled()
  const { held, finish } = heldWork()
  let isDone = false
  const failed = queue.run(async () => {
    await held
    isDone = true
    throw new Error('failed')
  })
  const settled = queue.settled()
  finish()
  await t.rejects(failed)
  await settled
  t.ok(isDone)
})
