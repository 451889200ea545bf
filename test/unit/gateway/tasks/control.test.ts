/**
 * Goal: existing tasks are listed, read, stopped and answered, by their id and by their session.
 */
import t from 'tap'
import { ServiceError } from '../../../../proto/errors.ts'
import { newId } from '../../../../proto/ids.ts'
import { TaskActor } from '../../../helpers/tasks/played-task.ts'
import type { Said } from '../../../helpers/runtime/said.ts'
import { all, keyOf, playTasks } from '../../../helpers/tasks/routes.ts'

t.test('tasks are listed in pages, by status and by session', async (t) => {
  const other = keyOf('other')
  const { ask, begin, task, sessionId } = await playTasks(t, { keys: [other.record] })
  const first = await begin({}, `?sessionId=${sessionId}`)
  const ids = [first]
  for (let i = 0; i < 11; i++) ids.push(await begin())
  task.become(ids[1]!, 'completed')
  task.become(ids[2]!, 'timed_out')
  task.become(ids[3]!, 'paused')
  const list = async (query: string) => {
    const { body } = await ask('GET', `${all}?${query}`)
    return body.data as { tasks: { id: string }[]; total: number; total_pages: number }
  }
  const idsOf = async (query: string) => (await list(query)).tasks.map(({ id }) => id)
  t.match(await list(''), { total: 12, page: 1, total_pages: 2 })
  t.same(await idsOf('page=2'), ids.slice(10))
  t.same(await idsOf('sort_order=desc&limit=2'), [ids[11], ids[10]])
  t.same(await idsOf('status=COMPLETED'), [ids[1]])
  t.same(await idsOf('status=FAILED'), [ids[2]])
  t.same(await idsOf('status=paused'), [ids[3]])
  t.equal((await list('status=RUNNING')).total, 10)
  t.same(await idsOf(`session_id=${sessionId}`), [first])
  t.match(await ask('GET', `${all}?status=odd`), { status: 400 })
  t.match(await ask('GET', `${all}?sesion_id=x`), { status: 400 }, 'misspelt')
  const foreign = await ask('GET', all, undefined, { key: other.text })
  t.match(foreign.body, { data: { total: 0 } })
})

t.test('one task reports its state, and what it has used', async (t) => {
  const { ask, begin, task } = await playTasks(t)
  const id = await begin()
  const usage = { calls: 2, inputTokens: 10, cachedTokens: 5, outputTokens: 3, costUsd: 0.01 }
  const question = { id: 'q1', kind: 'question', text: 'Which one?', askedAtMs: 0 } as const
  task.become(id, 'asking', {
    steps: 2,
    note: 'Two are alike.',
    usage,
    question,
    url: 'https://a.example/',
  })
  const { body } = await ask('GET', `${all}/${id}`)
  t.match(body.data, {
    id,
    workflow_id: id,
    status: 'RUNNING',
    state: 'asking',
    prompt: 'Find it',
    url: 'https://a.example/',
    provider: 'openai',
    owns_session: true,
    created_at: /^\d{4}-/,
    max_steps: 200,
    steps: 2,
    note: 'Two are alike.',
    usage: { calls: 2, input_tokens: 10, cached_tokens: 5, output_tokens: 3, cost_usd: 0.01 },
    question: {
      id: 'q1',
      kind: 'question',
      text: 'Which one?',
      asked_at: '1970-01-01T00:00:00.000Z',
    },
    api_key_name: 'development',
  })
})

t.test('unknown, invalid and foreign tasks are answered alike', async (t) => {
  const other = keyOf('other')
  const { ask, begin } = await playTasks(t, { keys: [other.record] })
  const id = await begin()
  const paths = ['', '/status', '/steps', '/steps/1/screenshot']
  for (const path of paths) {
    const unknown = await ask('GET', `${all}/${newId('tsk')}${path}`)
    const foreign = await ask('GET', `${all}/${id}${path}`, undefined, { key: other.text })
    const odd = await ask('GET', `${all}/x${path}`)
    for (const answer of [unknown, foreign, odd]) {
      t.match(answer, {
        status: 404,
        body: { error: { message: 'There is no task with this id.' } },
      })
    }
  }
  const cancel = await ask('POST', `${all}/${id}/cancel`, undefined, { key: other.text })
  t.equal(cancel.status, 404)
})

t.test('cancel, pause, resume and answer', async (t) => {
  const { ask, begin, task } = await playTasks(t)
  const id = await begin()
  const post = (verb: string, body?: object) => ask('POST', `${all}/${id}/${verb}`, body)
  t.match(await post('pause'), { status: 200, body: { data: { state: 'paused' } } })
  t.match(await post('resume'), { status: 200, body: { data: { state: 'deciding' } } })
  t.match(await post('answer', { text: 'The red one' }), {
    status: 409,
    body: { error: { type: 'conflict', message: 'The task has no open question.' } },
  })
  const question = { id: 'q1', kind: 'question', text: 'Which one?', askedAtMs: 0 } as const
  task.become(id, 'asking', { question })
  t.match(await post('answer', { question_id: 'q0', text: 'The red one' }), { status: 409 })
  t.match(await post('answer', { text: 'The red one' }), { status: 200 })
  t.match(task.told.at(-1), { type: 'answer', questionId: 'q1', text: 'The red one' })
  t.match(await post('cancel'), { status: 200, body: { data: { status: 'CANCELLED' } } })
  t.match(await post('cancel'), { status: 200 }, 'a second time too')
  t.match(await post('pause'), { status: 409 })
})

t.test('by session: pause, resume, the question, and the answer', async (t) => {
  const { ask, begin, task, sessionId } = await playTasks(t)
  const path = `/v1/sessions/${sessionId}/agent`
  t.match(await ask('POST', `${path}/pause`), { status: 409 })
  const id = await begin({}, `?sessionId=${sessionId}`)
  await begin({}, `?sessionId=${sessionId}`)
  t.match(await ask('POST', `${path}/pause`), {
    status: 200,
    body: { data: { status: 'paused', task_id: id } },
  })
  t.match(await ask('POST', `${path}/resume`), { body: { data: { status: 'running' } } })
  const asked = `${path}/requested-human-intervention`
  t.same((await ask('GET', asked)).body, { data: { count: 0, requests: [] } })

  const respond = (response: unknown, requestId = 'q1') =>
    ask('POST', `${path}/respond-to-human-intervention`, { requestId, response })
  const question = {
    id: 'q1',
    kind: 'confirmation',
    action: 'payment',
    text: 'Pay?',
    askedAtMs: 0,
  } as const
  const cases = [
    ['yes', { approve: true }],
    [true, { approve: true }],
    [false, { approve: false }],
    ['No, it is too dear', { approve: false, text: 'No, it is too dear' }],
  ] as const
  for (const [response, told] of cases) {
    task.become(id, 'asking', { question })
    const request = {
      id: 'q1',
      requestId: 'q1',
      kind: 'confirmation',
      action: 'payment',
      task_id: id,
      session_id: sessionId,
    }
    t.match((await ask('GET', asked)).body, { data: { count: 1, requests: [request] } })
    const pending = await ask('GET', '/v1/sessions/pending-interventions')
    t.match(pending.body, { data: { count: 1, requests: [request] } })
    t.match(await respond(response, 'q0'), { status: 404 })
    t.same((await respond(response)).body, { data: { status: 'success' } })
    t.match(task.told.at(-1), { type: 'answer', questionId: 'q1', ...told })
  }
  task.become(id, 'asking', { question: { ...question, kind: 'question' } })
  t.match(await respond('yes'), { status: 200 })
  t.match(task.told.at(-1), { type: 'answer', questionId: 'q1', text: 'yes' })
})

t.test('by session: a task whose end has not arrived here yet is skipped', async (t) => {
  class Hasty extends TaskActor {
    override async onCommand(id: string, command: Said, untilSettled: boolean) {
      if (id === this.inputs[0]!.id) throw new ServiceError('conflict', 'The task is over.')
      return super.onCommand(id, command, untilSettled)
    }
  }
  const { ask, begin, sessionId } = await playTasks(t, { task: new Hasty() })
  const path = `/v1/sessions/${sessionId}/agent/pause`
  await begin({}, `?sessionId=${sessionId}`)
  t.match(await ask('POST', path), { status: 409, body: { error: { message: /^No task/ } } })
  const next = await begin({}, `?sessionId=${sessionId}`)
  t.match(await ask('POST', path), { status: 200, body: { data: { task_id: next } } })
})

t.test('lists of sessions include the number of their tasks', async (t) => {
  const { ask, begin, task, views, sessionId } = await playTasks(t)
  const own = newId('ses')
  views.set({ ...views.get(sessionId)!, id: own })
  const usage = { calls: 1, inputTokens: 10, cachedTokens: 5, outputTokens: 3 }
  for (const steps of [2, 3]) {
    task.become(await begin({}, `?sessionId=${sessionId}`), 'deciding', { steps, usage })
  }
  task.become(await begin(), 'completed', { sessionId: own, steps: 1 })
  const list = async (query = '') => {
    const { body } = await ask('GET', `/v1/sessions?sort_order=asc${query}`)
    return body.data['sessions'] as object[]
  }
  t.match(await list(), [
    { id: sessionId, task_executions_count: 2, steps: 5, task_initiated: false },
    { id: own, task_executions_count: 1, steps: 1, task_initiated: true },
  ])
  t.match(await list('&task_initiated=true'), [{ id: own }])
  t.match((await ask('GET', `/v1/sessions/${sessionId}`)).body, {
    data: { tokens: { input: 20, cached: 10, output: 6 } },
  })
  t.match((await ask('GET', '/v1/sessions/all/status?task_initiated=false')).body, {
    data: { count: 1, items: [{ session_id: sessionId }] },
  })
})
