/**
 * Goal: the field at the top of the console finds pages, sessions, tasks and keys, of the own tenant
 * only and within the scopes of the key. Method: a real gateway with views that the test sets.
 */
import t from 'tap'
import { newId } from '../../../../proto/ids.ts'
import type { SessionView } from '../../../../proto/session/session.ts'
import type { TaskView } from '../../../../proto/task/task.ts'
import { textOf, type PageHeard } from '../../../helpers/access/portal/plain-browser.ts'
import { signedInPlainly } from '../../../helpers/console/plain-visitor.ts'
import { playService, playedView } from '../../../helpers/gateway/gateway.ts'
import { keyOf } from '../../../helpers/gateway/played/keys.ts'

const ours = keyOf('ours', { name: 'checkout' })
const theirs = keyOf('theirs', { name: 'billing' })
const watcher = keyOf('ours', { name: 'watcher', scopes: ['view'] })
const operator = keyOf('operator', { name: 'operator', scopes: ['admin'] })
const service = await playService({
  keys: [ours, theirs, watcher, operator].map(({ record }) => record),
})
t.teardown(() => service.close())

const visitorOf = async ({ text }: { readonly text: string }) => {
  const visitor = await signedInPlainly(service.gateway.url, text)
  return (words: string) => visitor.get(`/console/find?q=${encodeURIComponent(words)}`)
}

function have(tenant: string, more: Partial<SessionView> = {}): SessionView {
  const view = { ...playedView(newId('ses')), tenant, keyName: `${tenant} key`, ...more }
  service.views.set(view)
  return view
}

const session = have('ours', { tags: ['invoices', '<b>odd</b>'] })
const secret = have('theirs', { tags: ['invoices', 'secret-project'] })
const task: TaskView = {
  ...{ id: newId('tsk'), tenant: 'ours', keyId: 'key', keyName: 'ci', state: 'deciding' },
  ...{ createdAtMs: Date.now(), expiresAtMs: Date.now() + 60_000, provider: 'openai', steps: 0 },
  ...{ prompt: 'Collect the invoices of May', ownsSession: true, maxSteps: 20 },
  usage: { calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0 },
}
service.taskViews.set(task)

const linksOf = ({ html }: PageHeard) =>
  [...html.matchAll(/<a href="([^"]*)"><b>/g)].map(([, href = '']) => href)

t.test('sessions, tasks and pages are found by their words, with the way to all', async (t) => {
  const find = await visitorOf(ours)
  const found = await find('INVOICES')
  const places = ['/console/sessions/' + session.id, '/console/tasks/' + task.id]
  t.same(linksOf(found), [...places, '/docs/search?q=INVOICES'])
  t.match(textOf(found), /2 places for “INVOICES” Sessions ses_\w+ invoices · <b>odd<\/b>/)
  t.match(found.html, '&lt;b&gt;odd&lt;/b&gt;')
  t.same(linksOf(await find('new')).slice(0, 2), ['/console/sessions/new', '/console/tasks/new'])
  for (let n = 0; n < 9; n++) have('ours', { tags: ['nightly'] })
  const many = await find('nightly')
  t.match(textOf(many), /The first 6 places .* All 9 sessions/)
  t.ok(linksOf(many).includes('/console?show=all&amp;search=nightly'))
  t.match(textOf(await find('qqzzxx')), /0 places .* Nothing was found/)
  t.match(textOf(await find('')), /type some words above\. Pages Sessions Tasks/)
})

t.test('nothing of another tenant is found, by none of its words', async (t) => {
  const find = await visitorOf(ours)
  for (const words of ['secret-project', secret.id, 'theirs', 'billing', theirs.record.id]) {
    t.same(linksOf(await find(words)), [`/docs/search?q=${words}`], words)
  }
  t.notMatch((await find('invoices')).html, 'secret-project')
  const all = await visitorOf(operator)
  t.match((await all('secret-project')).html, secret.id)
  const key = linksOf(await all('billing')).filter((href) => href.startsWith('/console/keys'))
  t.same(key, [`/console/keys?show=all&amp;search=${theirs.record.id}`])
})

t.test('a key is offered no page that it may not open', async (t) => {
  const find = await visitorOf(watcher)
  t.same(linksOf(await find('new')), ['/docs/search?q=new'])
  t.notOk(linksOf(await find('invoices')).some((href) => href.includes('/tasks/')))
  t.notMatch(linksOf(await find('')), ['/console/tasks'])
})

t.test('what was searched for stands in the field, escaped, and is bounded', async (t) => {
  const find = await visitorOf(ours)
  t.match((await find('"><script>')).html, 'value="&quot;&gt;&lt;script&gt;"')
  t.equal((await find('x '.repeat(500))).status, 200)
})
