/**
 * Goal: web tasks as callers of the whole service use them: steps, pictures and lists of a real
 * task, a quick cancel, a held request whose client disconnects, and following everything live. The
 * model is scripted and on loopback.
 */
import t from 'tap'
import { devKey } from '../../../proto/accounts/dev-key.ts'
import { call, inTurn, type ModelScript } from '../../helpers/models/answers.ts'
import { RecordClient } from '../../helpers/gateway/record-socket.ts'
import { createSession, spawnTroupe, stopProcess } from '../../helpers/service/service.ts'
import { startTaskService } from '../../helpers/tasks/service.ts'
import { until } from '../../helpers/lib/until.ts'
import { serveWebPage } from '../../helpers/pages/web-page.ts'
import { statusJson, taskJson, taskListJson } from '../../../gateway/tasks/json/task-json.ts'
import { stepListJson } from '../../../gateway/tasks/json/step-json.ts'

const site = await serveWebPage(`<title>Login</title>
  <label>Password <input type="password"></label><p>Tea costs 3 €</p>`)
t.teardown(() => site.close())
const { model, service } = await startTaskService(t)
const { rest, baseUrl, key } = service

const all = '/v1/tools/perform-web-task'
const order = {
  prompt: 'What does tea cost?',
  url: site.url,
  async: true,
  allow_private_network: true,
  final_check: false,
  session_options: { browser: { headless: { active: true } } },
}
const look = call('find', { text: 'Tea', note: 'Where is the price?' })
const done = call('done', { success: true, answer: 'Tea costs 3 €' })
const silent: ModelScript = () => ({ kind: 'silence' })

interface Task {
  readonly data: { readonly id: string; readonly status: string; readonly session_id: string }
}
const begin = async (more: object = {}) =>
  (await rest<Task>('POST', all, { ...order, ...more })).body.data.id
const read = async (id: string) => (await rest<Task>('GET', `${all}/${id}`)).body
const isOver = (id: string) =>
  until('it is over', async () => (await read(id)).data.status !== 'RUNNING')
const isAsked = (n: number) => until('the model is asked', () => model.exchanges.length >= n)

t.test('a task records everything that a person needs to understand it', async (t) => {
  model.answerWith(inTurn(look, done))
  const id = await begin()
  await isOver(id)
  const task = taskJson.parse(await read(id)).data
  t.match(task, {
    status: 'COMPLETED',
    state: 'completed',
    provider: 'compatible',
    model: 'scripted',
    owns_session: true,
    steps: 2,
    usage: { calls: 2 },
    result: { success: true, result: 'Tea costs 3 €' },
    reason: 'done',
  })
  t.ok(task.usage.input_tokens > 0 && task.ended_at! >= task.started_at!)
  const status = await rest('GET', `${all}/${id}/status`)
  t.same(statusJson.parse(status.body), {
    data: { status: 'COMPLETED', result: { success: true, result: 'Tea costs 3 €' } },
  })

  const { steps } = stepListJson.parse((await rest('GET', `${all}/${id}/steps`)).body).data
  t.match(steps, [
    {
      n: 1,
      session_id: task.session_id!,
      page: { url: site.url, title: 'Login' },
      reason: 'Where is the price?',
      actions: [{ tool: 'find', input: { text: 'Tea' }, outcome: 'done', text: /Tea costs 3 €/ }],
      tokens: { input: Number, output: Number },
      ms: { observe: Number, decide: Number, act: Number },
    },
    { n: 2 },
  ])
  interface Events {
    readonly data: { readonly items: readonly { readonly command?: string }[] }
  }
  const found = await until('its session tells of it', async () => {
    const { body } = await rest<Events>('GET', `/v1/sessions/${task.session_id}/events`)
    return body.data.items.find(({ command }) => command === 'find')
  })
  t.match(found, { type: 'command', task: id, step: 1, outcome: 'done' }, 'of its session, too')
  const picture = await fetch(baseUrl + steps[0]!.screenshot!, {
    headers: { 'service-api-key': key },
  })
  t.equal(picture.headers.get('content-type'), 'image/jpeg')
  const jpeg = Buffer.from(await picture.arrayBuffer())
  t.same([...jpeg.subarray(0, 3)], [0xff, 0xd8, 0xff])

  const listed = await rest('GET', `${all}?status=COMPLETED&session_id=${task.session_id}`)
  t.match(taskListJson.parse(listed.body), { data: { tasks: [{ id }], total: 1 } })
  const { body } = await rest<{ data: { sessions: object[] } }>(
    'GET',
    '/v1/sessions?sort_order=desc',
  )
  t.match(body.data.sessions[0], {
    id: task.session_id,
    status: 'completed',
    task_initiated: true,
    task_executions_count: 1,
    steps: 2,
  })
})

t.test('its operator sees what tasks do and cost', async (t) => {
  const figures = await until('the task is counted', async () => {
    const { body } = await rest<string>('GET', '/metrics')
    return /^troupe_task_ends_total\{[^}]*end="done"\} 1$/m.test(body) && body
  })
  t.match(figures, /^troupe_task_steps_total\{[^}]*\} 2$/m)
  t.match(figures, /^troupe_model_requests_total\{[^}]*\} 2$/m)
  t.match(figures, /^troupe_model_tokens_total\{[^}]*kind="output"\} [1-9]/m)
})

t.test('a cancel does not wait for a model that is still silent', async (t) => {
  const before = model.exchanges.length
  model.answerWith(silent)
  const id = await begin()
  await isAsked(before + 1)
  const beganMs = performance.now()
  const { status, body } = await rest<Task>('POST', `${all}/${id}/cancel`)
  const ms = performance.now() - beganMs
  t.equal(status, 200)
  t.equal(body.data.status, 'CANCELLED')
  const exchange = model.exchanges.at(-1)!
  await until('the model’s connection is closed', () => exchange.outcome === 'client_gone')
  const lettingGoMs = exchange.endedMs! - beganMs
  t.comment(`let go after ${lettingGoMs.toFixed(0)} ms, over after ${ms.toFixed(0)} ms`)
  t.match((await rest('GET', `${all}/${id}/status`)).body, { data: { status: 'CANCELLED' } })
})

t.test('disconnecting from a held request cancels its task', async (t) => {
  const before = model.exchanges.length
  model.answerWith(silent)
  const leave = new AbortController()
  const held = fetch(baseUrl + all, {
    method: 'POST',
    headers: { 'service-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ ...order, async: false }),
    signal: leave.signal,
  })
  await isAsked(before + 1)
  leave.abort()
  await t.rejects(held)
  const { tasks } = taskListJson.parse((await rest('GET', `${all}?sort_order=desc`)).body).data
  await isOver(tasks[0]!.id)
  t.match(await read(tasks[0]!.id), { data: { status: 'CANCELLED' } })
})

t.test('a paused task does nothing until it is resumed, also through its session', async (t) => {
  let asked = 0
  const counted: ModelScript = () => {
    asked++
    return look
  }
  model.answerWith(counted)
  const id = await begin({ max_steps: 100 })
  await until('it is at work', () => asked > 0)
  const { session_id: session } = (await read(id)).data
  t.match(await rest('POST', `/v1/sessions/${session}/agent/pause`), {
    status: 200,
    body: { data: { status: 'paused', task_id: id } },
  })
  await until('it rests', async () => {
    const { data } = taskJson.parse(await read(id))
    return data.state === 'paused'
  })
  model.answerWith(done)
  t.match((await rest('POST', `/v1/sessions/${session}/agent/resume`)).body, {
    data: { status: 'running' },
  })
  await isOver(id)
  t.match(await read(id), { data: { status: 'COMPLETED' } })
})

t.test('secrets are typed, and shown nowhere', async (t) => {
  const secret = 'correct horse battery'
  model.answerWith(
    inTurn(({ user }) => {
      const [, ref = ''] = /(e\d+)[^\n]*Password/.exec(user.slice(user.indexOf('# Page'))) ?? []
      return call('type', { target: ref, text: '<secret>password</secret>' })
    }, done),
  )
  const session = await createSession(rest)
  const client = await RecordClient.open(`${baseUrl}/ws?sessionId=${session.id}&apiKey=${devKey}`)
  const { session_options: _, ...body } = order
  const { data } = (
    await rest<Task>('POST', `${all}?sessionId=${session.id}`, {
      ...body,
      secret_values: { password: secret },
    })
  ).body
  await isOver(data.id)
  await until(
    'the end is reported',
    () =>
      client.told.at(-1)?.type === 'state' &&
      client.told.some((told) => told.type === 'state' && told.status === 'COMPLETED'),
  )
  const steps = await rest('GET', `${all}/${data.id}/steps`)
  t.match(JSON.stringify(steps.body), /<secret>password<\/secret>/)
  const everything = [steps.body, await read(data.id), client.told, service.output()]
  t.notMatch(JSON.stringify(everything), secret)
  t.match(steps.body, { data: { steps: [{ actions: [{ tool: 'type', outcome: 'done' }] }] } })
  await rest('DELETE', `/v1/sessions/${session.id}`)
  t.match(await client.closed, { code: 4003 })
})

t.test('troupe watch shows each step to holders of the watcher’s account', async (t) => {
  const watching = (args: readonly string[]) => {
    const child = spawnTroupe(['watch', ...args], { DATA_DIR: service.dataDir })
    let output = ''
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    }
    t.teardown(() => stopProcess(child))
    return { has: (pattern: RegExp) => until(String(pattern), () => pattern.test(output)), child }
  }
  const how = watching(['--how'])
  await how.has(
    /^nats --server nats:\/\/127\.0\.0\.1:\d+ --user watcher --password \S+ sub tasks\.>$/m,
  )
  const [lines, json] = [watching([]), watching(['--json'])]
  await Promise.all([lines.has(/watching every task/), json.has(/watching every task/)])
  model.answerWith(inTurn(look, done))
  const id = await begin()
  await lines.has(new RegExp(`${id}  step 1  ${site.url}  find  "Where is the price\\?"`))
  await lines.has(new RegExp(`${id}  completed  \\{"success":true`))
  await json.has(/"type":"step".*"n":2/)
  t.notMatch(service.output(), /Violation/, 'asks for nothing that nats-server refuses it')
})
