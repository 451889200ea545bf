/**
 * Goal: the console's list of tasks is narrowed by state, tenant and words, says states in words, has
 * no more than a page of rows, and follows changes. Method: a real gateway with views that the test
 * sets.
 */
import t from 'tap'
import { keyScopeNames } from '../../../../../proto/accounts/key-scopes.ts'
import { newId } from '../../../../../proto/ids.ts'
import type { TaskQuestion, TaskView } from '../../../../../proto/task/task.ts'
import { textOf, type PageHeard } from '../../../../helpers/access/portal/plain-browser.ts'
import { signedInPlainly } from '../../../../helpers/console/plain-visitor.ts'
import { EventReader } from '../../../../helpers/console/event-reader.ts'
import { playService } from '../../../../helpers/gateway/gateway.ts'
import { keyOf } from '../../../../helpers/gateway/played/keys.ts'

const keys = {
  empty: keyOf('empty'),
  few: keyOf('few'),
  many: keyOf('many'),
  other: keyOf('other'),
  admin: keyOf('operators', { scopes: keyScopeNames }),
  viewer: keyOf('few', { scopes: ['view'] }),
}
const service = await playService({
  keys: Object.values(keys).map(({ record }) => record),
  env: { PUBLIC_URL: 'https://browsers.example' },
})
t.teardown(() => service.close())

const signedIn = (name: keyof typeof keys) => signedInPlainly(service.gateway.url, keys[name].text)

function have(tenant: string, more: Partial<TaskView> = {}): TaskView {
  const view: TaskView = {
    ...{ id: newId('tsk'), tenant, keyId: 'key', keyName: `${tenant} key`, state: 'deciding' },
    ...{ createdAtMs: Date.now() - 5_000, prompt: 'Find the cheapest flight', provider: 'openai' },
    ...{ ownsSession: true, maxSteps: 200, steps: 3 },
    usage: { calls: 3, inputTokens: 1_000, cachedTokens: 500, outputTokens: 50 },
    ...more,
  }
  service.taskViews.set(view)
  return view
}

const rowsOf = ({ html }: PageHeard) =>
  [...html.matchAll(/<tr role="row" id="row-(tsk_\w+)"/g)].length

t.test('without tasks, the page says what to do', async (t) => {
  const one = await signedIn('empty')
  const page = await one.get('/console/tasks')
  t.match(
    textOf(page),
    /There are no tasks yet.*curl -X POST https:\/\/browsers\.example\/v1\/tools/,
  )
  t.match(page.html, /href="\/console\/tasks\/new"/)
  t.match(textOf(await one.get('/console/tasks?search=nothing')), /No tasks match this search/)
})

t.test('states, reasons and figures are in words', async (t) => {
  const one = await signedIn('few')
  const now = Date.now()
  const waiting = { for: 'model', sinceMs: now - 65_000, reason: '<b>Busy</b>' } as const
  const question: TaskQuestion = {
    ...{ id: 'q', kind: 'confirmation', action: 'payment', text: 'Pay?', askedAtMs: now },
  }
  have('few', { waiting, model: 'some-model' })
  have('few', { state: 'asking', question })
  have('few', { state: 'failed', end: 'loop', endedAtMs: now, prompt: 'Book a <i>table</i>' })
  const given = { success: false, result: 'There is none.' }
  have('few', { state: 'completed', end: 'done', endedAtMs: now, result: given })
  have('few', { state: 'timed_out', end: 'timeout', endedAtMs: now })
  have('few', { state: 'cancelled', end: 'cancelled', endedAtMs: now })
  have('few', {
    ...{ state: 'completed', end: 'done', endedAtMs: now, result: { success: true, price: 1 } },
    usage: { calls: 1, inputTokens: 1_000, cachedTokens: 0, outputTokens: 234, costUsd: 0.0123 },
  })
  const page = await one.get('/console/tasks')
  t.equal(rowsOf(page), 7)
  const text = textOf(page)
  t.match(text, /All 7 Active 2 Need an answer 1 Completed 2 Failed 2 Cancelled 1/)
  t.match(text, /openai · some-model Waiting for the model <b>Busy<\/b> · for 1 min 3 1,050 – /)
  t.match(text, /Needs an answer A person must allow a payment/)
  t.match(text, /Not reached The model says that the goal cannot be reached/)
  t.match(text, /Completed The goal was reached 3 1,234 \$0\.0123 [45] s/)
  t.match(text, /Timed out It ran out of time/)
  t.match(page.html, 'Book a &lt;i&gt;table&lt;/i&gt;')
  t.equal(rowsOf(await one.get('/console/tasks?show=asking')), 1)
  t.equal(rowsOf(await one.get('/console/tasks?show=failed')), 2)
  t.equal(rowsOf(await one.get('/console/tasks?search=BOOK+table')), 1)
  t.equal(rowsOf(await one.get('/console/tasks?search=repeated')), 1)
  t.match(textOf(await (await signedIn('empty')).get('/console/tasks')), /There are no tasks yet/)
})

t.test('only a key with admin sees other tenants, and may choose one', async (t) => {
  have('other')
  const admin = await signedIn('admin')
  const all = await admin.get('/console/tasks')
  t.match(all.html, /<option value="few">/)
  const few = await admin.get('/console/tasks?tenant=other')
  t.equal(rowsOf(few), 1)
  t.match(few.html, /<option value="other" selected="">/)
  const one = await signedIn('other')
  t.notMatch((await one.get('/console/tasks')).html, 'id="f-tenant"')
  t.equal(rowsOf(await one.get('/console/tasks?tenant=few')), 0)
})

t.test('a key without the scope sees neither the list nor a link to it', async (t) => {
  const one = await signedIn('viewer')
  t.notMatch((await one.get('/console')).html, 'href="/console/tasks"')
  t.equal((await one.get('/console/tasks')).status, 403)
})

t.test('many tasks are pages of fifty, newest first', async (t) => {
  const views = Array.from({ length: 1_000 }, (_, n) => have('many', { createdAtMs: n * 1_000 }))
  const one = await signedIn('many')
  const first = await one.get('/console/tasks')
  t.equal(rowsOf(first), 50)
  t.match(textOf(first), /page 1 of 20/)
  t.match(first.html, `row-${views.at(-1)!.id}`)
  t.ok(first.html.length < 200_000, 'of 50 rows')
  t.match((await one.get('/console/tasks?page=99')).html, `row-${views[0]!.id}`)
})

t.test('an open list is sent what has changed', async (t) => {
  const first = have('other', { createdAtMs: Date.now() + 1_000 })
  const one = await signedIn('other')
  const reader = new EventReader(await one.exchange('GET', '/console/tasks/feed?show=active'))
  t.teardown(() => reader.close())
  t.match((await reader.next<{ tasks: string }>('parts')).tasks, `id="row-${first.id}"`)
  have('few')
  service.taskViews.set({ ...first, state: 'acting', steps: 4 })
  const { rows } = await reader.next<{ rows: Readonly<Record<string, string>> }>('rows')
  t.same(Object.keys(rows), [`row-${first.id}`])
  t.match(rows[`row-${first.id}`], /Acting on the page/)
  service.taskViews.set({ ...first, state: 'completed', end: 'done', endedAtMs: Date.now() })
  const over = await reader.next<{ counts: object; order: readonly string[] }>('rows')
  t.match(over.counts, { active: '1', completed: '1' })
  t.equal(over.order.length, 1)
})
