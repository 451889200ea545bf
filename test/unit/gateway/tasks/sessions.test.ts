/**
 * Goal: a task is ordered only for a live session of its caller, and sessions that tasks make for
 * themselves count like any other. The task's actor is played.
 */
import t from 'tap'
import { newId } from '../../../../proto/ids.ts'
import { all, keyOf, playTasks } from '../../../helpers/tasks/routes.ts'

t.test('a session must exist, be the caller’s, and be running', async (t) => {
  const other = keyOf('other')
  const { ask, order, views, sessionId } = await playTasks(t, { keys: [other.record] })
  const missing = `?sessionId=${newId('ses')}`
  t.match(await order({}, missing), { status: 404, body: { error: { type: 'not_found' } } })
  t.match(await order({}, '?sessionId=x'), { status: 404 })
  const body = { prompt: 'Find it' }
  const foreign = await ask('POST', `${all}?sessionId=${sessionId}`, body, { key: other.text })
  t.match(foreign, { status: 404 })
  t.match(await order({ session_options: {} }, `?sessionId=${sessionId}`), {
    status: 400,
    body: { error: { field: 'session_options' } },
  })
  views.set({ ...views.get(sessionId)!, status: 'completed', reason: 'idle' })
  t.match(await order({}, `?sessionId=${sessionId}`), {
    status: 410,
    body: { error: { type: 'session_ended', reason: 'idle' } },
  })
})

t.test('sessions that tasks are about to make count towards the key’s limit', async (t) => {
  const mine = keyOf('acme', { limits: { sessions: 1 } })
  const { ask, task } = await playTasks(t, { keys: [mine.record] })
  const body = { prompt: 'Find it', async: true }
  const first = await ask('POST', all, body, { key: mine.text })
  t.equal(first.status, 200)
  const id = String(first.body.data['id'])
  task.become(id, 'acquiring', { sessionId: newId('ses') })
  t.match(await ask('POST', all, body, { key: mine.text }), {
    status: 429,
    body: { error: { type: 'session_limit', current: 1, limit: 1 } },
  })
  task.become(id, 'completed')
  t.equal((await ask('POST', all, body, { key: mine.text })).status, 200)
})

t.test('tasks ordered at once do not exceed the limit together', async (t) => {
  const mine = keyOf('acme', { limits: { sessions: 1 } })
  const { ask } = await playTasks(t, { keys: [mine.record] })
  const body = { prompt: 'Find it', async: true, output_schema: { type: 'object' } }
  const orders = [1, 2, 3].map(() => ask('POST', all, body, { key: mine.text }))
  const statuses = (await Promise.all(orders)).map(({ status }) => status).sort()
  t.same(statuses, [200, 429, 429])
  const bad = { ...body, output_schema: { type: 'array' } }
  const other = keyOf('other', { limits: { sessions: 1 } })
  const { ask: askOther } = await playTasks(t, { keys: [other.record] })
  t.equal((await askOther('POST', all, bad, { key: other.text })).status, 400)
  t.equal((await askOther('POST', all, body, { key: other.text })).status, 200, 'refused: not kept')
})
