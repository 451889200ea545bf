/**
 * Goal: whoever asks for a session or a task that has ended gets the same answer before and after it
 * has moved to the archive, and after a restart. Method: a real service, whose ended sessions and
 * tasks are moved at once by an archiver of this test; all answers about them are compared, over
 * REST, a socket and the console, for their owner, another tenant and the operator.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { WebSocket } from 'ws'
import { buckets, streams, subjects } from '../../../proto/subjects.ts'
import { Archiver } from '../../../runtime/actor/archive/archiver.ts'
import { unpackSegment } from '../../../runtime/actor/archive/segment.ts'
import { systemClock } from '../../../runtime/lib/clock.ts'
import { signedInPlainly } from '../../helpers/console/plain-visitor.ts'
import { until } from '../../helpers/lib/until.ts'
import { call, inTurn } from '../../helpers/models/answers.ts'
import { silent } from '../../helpers/nats/nats.ts'
import { serveWebPage } from '../../helpers/pages/web-page.ts'
import { openInsider } from '../../helpers/service/insider.ts'
import { newKey, troupeOf } from '../../helpers/service/keys.ts'
import { createSession, headless, isReady, type Rest } from '../../helpers/service/service.ts'
import { startTaskService } from '../../helpers/tasks/service.ts'

const site = await serveWebPage('<title>Tea</title><p>Tea costs 3 €</p>')
t.teardown(() => site.close())
const { model, service } = await startTaskService(t)
const { rest } = service
const other = await newKey(service, 'another', '--tenant', 'another')
const operator = await newKey(service, 'operator', '--scopes', 'admin,sessions,drive,tasks,view')
const viewer = await newKey(service, 'viewer', '--scopes', 'view')
const insider = await openInsider(service.dataDir)
t.teardown(() => insider.close())
const console_ = await signedInPlainly(service.baseUrl, operator.text)

const tasks = '/v1/tools/perform-web-task'
model.answerWith(inTurn(call('done', { success: true, answer: 'Tea costs 3 €' })))
const order = {
  ...{ prompt: 'What does tea cost?', url: site.url, async: true, final_check: false },
  ...{ allow_private_network: true, session_options: headless },
}
const { body: started } = await rest('POST', tasks, order)
const task = started.data.id
interface TaskAnswer {
  readonly data: { readonly status: string; readonly session_id: string }
}
const ofTask = await until('the task is over', async () => {
  const { body } = await rest<TaskAnswer>('GET', `${tasks}/${task}`)
  return body.data.status === 'COMPLETED' && body.data.session_id
})
const tagged = await createSession(rest, headless)
await rest('PUT', `/v1/sessions/${tagged.id}/tags`, { tags: ['Spring', 'b'] })
await rest('DELETE', `/v1/sessions/${tagged.id}`)
const strange = await createSession(other.rest, headless)
await other.rest('DELETE', `/v1/sessions/${strange.id}`)
const alive = await createSession(rest, headless)
const ended = [ofTask, tagged.id, strange.id]
const endedKeys = [
  ...[ofTask, tagged.id].map((id) => `session.default.${id}`),
  ...[`session.another.${strange.id}`, `task.default.${task}`],
]
const isOver = async (id: string) =>
  (
    await operator.rest<{ data: { sessions: { id: string }[] } }>(
      'GET',
      '/v1/admin/sessions?status=completed&limit=50',
    )
  ).body.data.sessions.some((one) => one.id === id)
await until('all have ended', async () => (await Promise.all(ended.map(isOver))).every(Boolean))
await until('the other one runs', async () =>
  (await rest<string>('GET', '/metrics')).body.includes('troupe_sessions{status="running"} 1'),
)

const hourAgo = new Date(Date.now() - 3_600_000).toISOString()
const dayFromNow = (days: number) =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
/** Also if a day begins meanwhile. */
const days = `from=${dayFromNow(-1)}&to=${dayFromNow(1)}`
const lists = [
  '/v1/sessions',
  ...['sort_order=desc', 'sort_order=asc&limit=1&page=2', 'status=completed', 'status=running']
    .concat([
      'tags=Spring',
      'tags=Spring,b',
      'tags=none',
      'tags=b&status=completed',
      'search=spr%20b',
      'task_initiated=true',
      'page=9',
      `limit=1&cursor=${ofTask}`,
      `sort_order=desc&limit=1&cursor=${alive.id}`,
      `status=completed&cursor=${ofTask}`,
    ])
    .concat([`created_to=${hourAgo}`, `created_from=${hourAgo}&tags=b`])
    .map((query) => `/v1/sessions?${query}`),
  '/v1/sessions/all/status',
  ...['day', 'month', 'key', 'tenant'].map((by) => `/v1/usage?by=${by}&${days}`),
  ...[
    tasks,
    `${tasks}?status=COMPLETED`,
    `${tasks}?status=RUNNING`,
    `${tasks}?session_id=${ofTask}`,
  ],
]
const ofAll = [
  '/v1/admin/sessions?tags=b&status=completed',

  '/v1/admin/sessions?limit=50',
  '/v1/admin/sessions?tenant=another',
  '/v1/admin/tenants',
  `/v1/admin/usage?by=tenant&${days}`,
  `/v1/admin/usage?by=day&tenant=another&${days}`,
  `/v1/admin/usage?by=day&tenants=together&${days}`,
]
const ofOne = (id: string): readonly (readonly [string, string, object?])[] => [
  ['GET', `/v1/sessions/${id}`],
  ['GET', `/v1/sessions/${id}/tags`],
  ['PUT', `/v1/sessions/${id}/tags`, { tags: ['late'] }],
  ['POST', `/v1/sessions/${id}/extend`, { minutes: 1 }],
  ['GET', `/v1/sessions/${id}/pages`],
  ['GET', `/v1/sessions/${id}/snapshot`],
  ['GET', `/v1/sessions/${id}/downloads`],
  ['POST', `/v1/sessions/${id}/commands/navigate`, { url: 'about:blank' }],
  ['DELETE', `/v1/sessions/${id}`],
  ['POST', `${tasks}?sessionId=${id}`, { ...order, async: true }],
]
const ofThisTask: readonly (readonly [string, string, object?])[] = [
  ['GET', `${tasks}/${task}`],
  ['GET', `${tasks}/${task}/status`],
  ['GET', `${tasks}/${task}/steps`],
  ['POST', `${tasks}/${task}/cancel`],
  ['POST', `${tasks}/${task}/pause`],
  ['POST', `${tasks}/${task}/resume`],
  ['POST', `${tasks}/${task}/answer`, { text: 'late' }],
]

/** An error names the request that it answers, and what runs becomes older. */
const lasting = (body: unknown): unknown =>
  JSON.parse(
    JSON.stringify(body, (key, value) => {
      if (key === 'request_id') return ''
      if (key === 'browser_minutes') return undefined
      return value?.id === alive.id ? { ...value, duration: 0 } : value
    }),
  )

async function tell(who: Rest, requests: readonly (readonly [string, string, object?])[]) {
  const answers: Record<string, unknown> = {}
  for (const [method, path, body] of requests) {
    const { status, body: answer } = await who(method, path, body)
    answers[`${method} ${path}`] = { status, answer: lasting(answer) }
  }
  return answers
}

async function closeOf(id: string): Promise<string> {
  const url = `${service.baseUrl.replace('http', 'ws')}/?apiKey=${service.key}&sessionId=${id}`
  const socket = new WebSocket(url)
  return new Promise((resolve) => {
    socket.on('unexpected-response', (_, { statusCode }) => resolve(`refused ${statusCode}`))
    socket.on('close', (code, reason) => resolve(`closed ${code} ${String(reason)}`))
    socket.on('error', ({ message }) => resolve(message))
  })
}

async function page(path: string) {
  const { status, html } = await console_.get(path)
  return { status, shown: [task, ...ended].filter((id) => html.includes(id)) }
}

/** Of each tenant, without what grows. */
async function usage() {
  const { stdout } = await troupeOf(service, 'usage', '--json')
  const rows = JSON.parse(stdout) as { browser_minutes?: number }[]
  return rows.map(({ browser_minutes: _, ...row }) => row)
}

/** Everything that anybody can learn about what has ended. */
async function known() {
  const gets = (paths: readonly string[]) => paths.map((path) => ['GET', path] as const)
  const { body: metrics } = await rest<string>('GET', '/metrics')
  return {
    owner: await tell(rest, [...gets(lists), ...ofOne(ofTask), ...ofOne(tagged.id), ...ofThisTask]),
    another: await tell(other.rest, [...gets(lists), ...ofOne(tagged.id), ...ofThisTask]),
    operator: await tell(operator.rest, gets(ofAll)),
    sockets: await Promise.all([closeOf(tagged.id), closeOf(strange.id)]),
    usage: await usage(),
    metrics: metrics.match(/^troupe_(sessions|tasks)\{.*$/gm),
    pages: {
      sessions: await page('/console?show=ended'),
      found: await page('/console?show=all&search=spring'),
      session: await page(`/console/sessions/${ofTask}`),
      tasks: await page('/console/tasks'),
      task: await page(`/console/tasks/${task}`),
    },
  }
}

const before = await known()

t.test('answers know what has ended', async (t) => {
  t.match(before.owner['GET /v1/sessions'], { status: 200, answer: { data: { total: 3 } } })
  t.match(before.owner[`GET ${tasks}?session_id=${ofTask}`], { answer: { data: { total: 1 } } })
  t.match(before.owner[`PUT /v1/sessions/${tagged.id}/tags`], { status: 410 })
  t.match(before.another[`GET /v1/sessions/${tagged.id}`], { status: 404 })
  t.match(before.pages.sessions, { status: 200, shown: ended })
})

t.test('what was used is added up for those who may know it, and for nobody else', async (t) => {
  interface Usage {
    readonly data: {
      readonly total: { readonly sessions: number; readonly tasks: number }
      readonly rows: readonly { readonly key: string; readonly month: string }[]
    }
  }
  const { body: own } = await rest<Usage>('GET', `/v1/usage?by=key&${days}`)
  t.match(own.data.total, { sessions: 3, running: 1, tasks: 1, tasks_running: 0 })
  t.match(own.data, { is_complete: true, rows: [{ tenant: 'default', sessions: 3, tasks: 1 }] })
  t.equal(own.data.rows.length, 1)
  const { body: strangers } = await other.rest<Usage>('GET', `/v1/usage?by=key&${days}`)
  t.match(strangers.data.rows, [{ tenant: 'another', key: 'another', sessions: 1, tasks: 0 }])
  const { body: all } = await operator.rest<Usage>('GET', `/v1/admin/usage?by=tenant&${days}`)
  t.same(lasting(all.data.rows), before.usage, 'as the command line counts')
  const { body: together } = await operator.rest<Usage>(
    'GET',
    `/v1/admin/usage?by=month&tenants=together&${days}`,
  )
  const { sessions, tasks } = all.data.total
  t.match(together.data.total, { sessions, tasks })
  t.ok(together.data.rows.every((row) => !('tenant' in row)))
  const months = together.data.rows.map(({ month }) => month)
  t.equal(new Set(months).size, months.length, 'a row for each month, of all tenants')
  t.match(await other.rest('GET', '/v1/admin/usage'), { status: 403 })
  t.match(await viewer.rest('GET', '/v1/usage'), { status: 403 })
  const { body: now } = await rest<{ data: { from: string; to: string } }>('GET', '/v1/usage')
  t.equal(Date.parse(now.data.to) - Date.parse(now.data.from), 29 * 86_400_000)
  for (const [query, field] of [
    ...[['from=2026-13-01', 'from'] as const, ['to=yesterday', 'to'] as const],
    ...[['by=hour', 'by'] as const, ['from=2026-02-02&to=2026-02-01', 'from'] as const],
    ...[['from=2025-01-01&to=2026-06-01', 'from'] as const, ['tenant=x', 'tenant'] as const],
  ]) {
    const { status, body } = await rest('GET', `/v1/usage?${query}`)
    t.match([status, JSON.stringify(body)], [400, field], query)
  }
})

t.test('they are the same from the archive', async (t) => {
  const views = insider.store.bucket(buckets.views)
  const archiver = new Archiver({
    store: insider.store,
    clock: systemClock,
    log: silent,
    kinds: ['session', 'task'].map((kind) => ({ protocol: { kind, verbs: {} } })),
    handledUntilMs: () => Date.now(),
    kept: { keptMs: Infinity, keptPerTenant: 100, keptBytes: Infinity },
    waits: { afterMs: 0, gatherMs: 0, settleMs: 0 },
  })
  t.teardown(() => archiver.stop())
  await until('they have moved', async () => {
    await archiver.sweep()
    return (await Promise.all(endedKeys.map((key) => views.get(key)))).every((one) => !one)
  })
  t.equal(await insider.store.log.last(subjects.log('session', tagged.id)), undefined)
  t.ok(await views.get(`session.default.${alive.id}`))
  const packed = await insider.store.archive.last(subjects.archive('task', 'default'))
  t.ok(unpackSegment(packed!).elsewhere![task]![streams.steps]! > 0, 'its steps count as well')
  await until('the gateway has read them', async () => {
    const { body } = await rest<{ data: { total: number } }>('GET', '/v1/sessions')
    return body.data.total === 3
  })
  t.same(await known(), before)
})

t.test('and after a restart of the gateway, with and without its copy', async (t) => {
  const restart = async () => {
    await service.strike('gateway')
    await until('it serves', () => isReady(rest))
  }
  await restart()
  t.same(await known(), before)
  rmSync(join(service.dataDir, 'models'), { recursive: true })
  await restart()
  t.same(await known(), before)
})

t.test('what was used as a file, and on the page of the console', async (t) => {
  const formula = await newKey(service, '=1+1', '--tenant', 'sums')
  const { id } = await createSession(formula.rest, headless)
  await formula.rest('DELETE', `/v1/sessions/${id}`)
  const csv = await formula.rest<string>('GET', `/v1/usage.csv?by=key&${days}`)
  const [head, row, ...rest_] = csv.body.trim().split('\n')
  t.match(head, /^tenant,key,sessions,running,browser_minutes,/)
  t.match(row, /^sums,'=1\+1,1,/)
  t.same(rest_, [])
  t.match(csv.headers.get('content-disposition'), /attachment; filename="usage-by-key-20.*\.csv"/)
  const { html } = await console_.get('/console/usage?period=7d&by=tenant&measure=sessions')
  for (const text of ['another', 'default', 'sums', 'Sessions by day', '<svg class="chart"']) {
    t.ok(html.includes(text), text)
  }
  const file = await console_.get('/console/usage.csv?by=tenant')
  t.match(file.html, /\nanother,1,/)
  const own = await signedInPlainly(service.baseUrl, other.text)
  const { html: seen } = await own.get('/console/usage?tenant=default&by=key')
  t.ok(seen.includes('another'))
  t.notOk(seen.includes('>default<'))
})
