// Goal: the same request is done once, whether it is still in progress or was answered a while ago.
import t from 'tap'
import type { Reply } from '../../../../../proto/envelope.ts'
import { ReplyMemory } from '../../../../../runtime/actor/cell/reply-memory.ts'

const answered = (value: unknown) => async (): Promise<Reply> => ({ ok: true, value })

t.test('a repeat gets the first answer', async (t) => {
  const memory = new ReplyMemory(2)
  t.strictSame(await memory.once('a', answered(1)), { ok: true, value: 1 })
  t.strictSame(await memory.once('a', answered(2)), { ok: true, value: 1 })
})

t.test('requests in progress are known, however many there are', async (t) => {
  const memory = new ReplyMemory(2)
  const finish: (() => void)[] = []
  let done = 0
  const work = () => {
    done++
    return new Promise<Reply>((resolve) => finish.push(() => resolve({ ok: true, value: done })))
  }
  const first = Array.from({ length: 50 }, (_, i) => memory.once(`r${i}`, work))
  const again = Array.from({ length: 50 }, (_, i) => memory.once(`r${i}`, work))
  for (const end of finish) end()
  t.strictSame(await Promise.all(again), await Promise.all(first))
  t.equal(done, 50)
})

t.test('an answer that is asked for again is kept longer', async (t) => {
  const memory = new ReplyMemory(2)
  for (const id of ['a', 'b', 'a', 'c']) await memory.once(id, answered(id))
  t.strictSame(await memory.once('a', answered('again')), { ok: true, value: 'a' })
})

t.test('the oldest answers are forgotten, and refusals at once', async (t) => {
  const memory = new ReplyMemory(2)
  for (const id of ['a', 'b', 'c']) await memory.once(id, answered(id))
  t.strictSame(await memory.once('a', answered('again')), { ok: true, value: 'again' })
  t.strictSame(await memory.once('c', answered('again')), { ok: true, value: 'c' })
  const refusal: Reply = { ok: false, error: { type: 'conflict', message: 'no' } }
  await memory.once('d', async () => refusal)
  t.strictSame(await memory.once('d', answered('now')), { ok: true, value: 'now' })
})
