/**
 * Goal: the page of a session shows what is known of it and acts on it by the REST routes, for its
 * tenant only; pictures are taken once for all who look, and count as no activity. Method: a real
 * gateway, a played actor and a played browser host.
 */
import t from 'tap'
import { newId } from '../../../../proto/ids.ts'
import { keyScopeNames } from '../../../../proto/accounts/key-scopes.ts'
import { textOf } from '../../../helpers/access/portal/plain-browser.ts'
import { signedInPlainly } from '../../../helpers/console/plain-visitor.ts'
import { EventReader } from '../../../helpers/console/event-reader.ts'
import { playService, playedView } from '../../../helpers/gateway/gateway.ts'
import { keyOf } from '../../../helpers/gateway/played/keys.ts'

const acme = keyOf('acme')
const other = keyOf('other')
const admin = keyOf('operators', { scopes: keyScopeNames })
const looker = keyOf('acme', { scopes: ['view'] })
const asked: string[] = []
const traceHead = { type: 'trace', version: 1, session_id: 'ses_x', at: 'now' }
const at = '2026-11-29T10:11:12.345Z'
const events = [
  { n: 1, at, type: 'client', client: 'abcdef12', state: 'connected', kind: 'cdp', key: 'k' },
  { n: 2, at, type: 'page_navigated', page: 'p', url: 'https://shop.example/?<b>' },
  { n: 3, at, type: 'act', client: 'abcdef12', act: 'keys', count: 7 },
  {
    n: 4,
    at,
    type: 'command',
    command: 'mouse_click',
    ms: 12,
    outcome: 'timeout',
    target: '3, 4',
    key: acme.record.id,
  },
  { n: 5, at, type: 'command', command: 'click', ms: 3, outcome: 'done', task: 'tsk_7', step: 2 },
]
const service = await playService({
  keys: [acme, other, admin, looker].map(({ record }) => record),
  env: { PUBLIC_URL: 'https://browsers.example', MAX_DURATION_MINUTES: '60' },
  async node(subject) {
    const verb = subject.slice(subject.lastIndexOf('.') + 1)
    asked.push(verb)
    if (verb === 'trace') {
      const bytes = Buffer.from(`${JSON.stringify(traceHead)}\n{"type":"comm\n`)
      return { ok: true, value: { bytes } }
    }
    if (verb === 'events') return { ok: true, value: { events, hasMore: false } }
    if (verb !== 'glance') return { ok: true, value: [] }
    const pages = [{ id: 'p', title: '<i>Shop</i>', url: 'https://shop.example/' }]
    return { ok: true, value: { pages, image: Buffer.from('a picture') } }
  },
})
t.teardown(() => service.close())

const signedIn = ({ text }: { readonly text: string }) => signedInPlainly(service.gateway.url, text)

function running(tenant = 'acme') {
  const expiresAtMs = Date.now() + 20 * 60_000
  const view = { ...playedView(newId('ses')), tenant, tags: ['shop'], expiresAtMs }
  service.views.set(view)
  return { view, path: `/console/sessions/${view.id}` }
}

t.test('what is known of a session, and its live view in a frame', async (t) => {
  const { view, path } = running()
  const one = await signedIn(acme)
  const page = await one.get(path)
  t.equal(page.status, 200)
  t.match(textOf(page), new RegExp(`${view.id}.*State Running In use.*Ends in (19|20) min`))
  t.match(page.html, `<iframe src="${path}/live?mode=view"`, 'it takes no keys')
  t.match((await one.get(`${path}?control=1`)).html, `<iframe src="${path}/live"`)
  t.match(page.headers.get('content-security-policy'), /frame-src 'self'/)
  t.match(page.html, '&lt;i&gt;Shop&lt;/i&gt;')
  const happened = [
    ...['click 10:11:12 UTC 3 ms A task, step 2'],
    ...['mouse click 10:11:12 UTC 3, 4, 12 ms, timeout Key acme'],
    ...['Pressed keys 10:11:12 UTC 7 × Client abcd', 'Page changed 10:11:12 UTC https://shop'],
    ...['CDP client connected 10:11:12 UTC Client abcd'],
  ]
  const found = happened.map((words) => textOf(page).indexOf(words))
  t.ok(found[0]! > 0)
  t.same(
    found,
    found.toSorted((a, b) => a - b),
    'the newest first',
  )
  t.notMatch(page.html, '?<b>')
  t.match(page.html, 'href="/console/tasks/tsk_7#step-2"', 'to the step that did it')
  t.match(page.html, /apiKey=tss_/, 'a key for this session only')
  t.notMatch(page.html, acme.text)
  service.views.set({ ...view, status: 'unreachable', unreachableSinceMs: Date.now() })
  const unreachable = await one.get(path)
  t.match(textOf(unreachable), /End session.*has lost contact.*State Unreachable Its host/)
  t.notMatch(unreachable.html, /<iframe/)
  service.views.set({ ...view, status: 'lost', reason: 'node_lost', endedAtMs: Date.now() })
  const over = await one.get(path)
  t.match(textOf(over), /This session has ended.*Lost The browser host was lost/)
  t.notMatch(over.html, /<iframe|apiKey=/)
  t.match(textOf(over), /mouse click 10:11:12/, 'what happened is there after the end')
  const completed = { status: 'completed', reason: 'deleted' } as const
  service.views.set({ ...view, ...completed, endedAtMs: Date.now() })
  const seen = await one.get(path)
  t.match(textOf(seen), /The last picture: <i>Shop<\/i> https:\/\/shop\.example\/ State Ended/)
  t.match(
    seen.html,
    `<img src="data:image/jpeg;base64,${Buffer.from('a picture').toString('base64')}"`,
  )
  service.views.set({ ...view, ...completed, endedAtMs: Date.now() - 25 * 3_600_000 })
  t.match(textOf(await one.get(path)), /This session has ended/)
  t.match(textOf(over), /Duration \d+ s/)
  t.notMatch(over.html, /class="liveness"|>Age</, 'nothing of it changes any more')
})

t.test('what it has used, and how many requests it has blocked', async (t) => {
  const { view, path } = running()
  const traffic = { sentBytes: 2_048, receivedBytes: 5 * 2 ** 20 }
  const use = { traffic, domains: ['shop.example'], blockedRequests: 17 }
  service.views.set({ ...view, use })
  const page = await (await signedIn(acme)).get(path)
  t.match(textOf(page), /Traffic 5\.0 MiB received, 2\.0 KiB sent Blocked 17 requests Visited shop/)
})

t.test('stored logins that it has filled in, and those that its profile had', async (t) => {
  const { view, path } = running()
  const options = { ...view.options, profile: { name: 'work', persist: true } }
  service.views.set({
    ...{ ...view, options },
    profile: { version: 3, logins: ['shop'], filled: ['bank', 'shop'], ended: ['shop'] },
  })
  const text = textOf(await (await signedIn(acme)).get(path))
  t.match(text, /Profile work , saved when the session ends/)
  t.match(text, /Logins filled in bank, shop \(it had ended\)/)
})

t.test('the trace of a session that has one can be saved, by keys that may drive it', async (t) => {
  const { view, path } = running()
  const traced = { ...view, options: { ...view.options, tracing: true } }
  const one = await signedIn(acme)
  t.notMatch((await one.get(path)).html, `${path}/trace`)
  service.views.set(traced)
  t.match((await one.get(path)).html, `href="${path}/trace"`)
  const answer = await one.exchange('GET', `${path}/trace?format=jsonl`)
  t.match(
    answer.headers.get('content-disposition'),
    `attachment; filename="trace-${view.id}.jsonl"`,
  )
  const [head, ...rest] = (await answer.text()).trim().split('\n')
  t.same(JSON.parse(head!), traceHead)
  t.same(
    rest.map((line) => (JSON.parse(line) as { readonly n: number }).n),
    [1, 2, 3],
    'with what happened besides commands',
  )
  t.notMatch((await (await signedIn(looker)).get(path)).html, `${path}/trace`)
  const elsewhere = await (await signedIn(other)).exchange('GET', `${path}/trace`)
  t.equal(elsewhere.status, 404)
})

t.test('the live view opens by a link of the key, in frames of ours only', async (t) => {
  const { view, path } = running()
  const one = await signedIn(acme)
  const answer = await one.exchange('GET', `${path}/live`)
  const to = answer.headers.get('location') ?? ''
  t.match(to, new RegExp(`^/live/${view.id}\\?token=control\\.`))
  const policyOf = async (headers: Readonly<Record<string, string>>) =>
    (await one.exchange('GET', to, undefined, headers)).headers.get('content-security-policy')
  const framed = { 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-origin' }
  t.match(await policyOf(framed), /frame-ancestors 'self'/)
  t.match(await policyOf({ ...framed, 'sec-fetch-site': 'cross-site' }), /frame-ancestors 'none'/)
  t.match(await policyOf({}), /frame-ancestors 'none'/)
  const watcher = await (await signedIn(looker)).exchange('GET', `${path}/live`)
  t.match(watcher.headers.get('location'), /\?token=view\./)
})

t.test('more time, tags and links are orders to its actor', async (t) => {
  const { view, path } = running()
  const one = await signedIn(acme)
  const page = await one.get(path)
  const told = (type: string) =>
    service.told.filter(({ id, command }) => id === view.id && command.type === type)
  await one.submit(page, `${path}/extend`, { minutes: '15' })
  t.match(told('extend'), [{ command: { minutes: 15 } }])
  const long = await one.submit(page, `${path}/extend`, { minutes: '240' })
  t.match(textOf(long), /A session can last at most 60 minutes on this service: at most 40 more/)
  await one.submit(page, `${path}/tags`, { tags: 'one, two,' })
  t.match(told('tag'), [{ command: { tags: ['one', 'two'] } }])
  const linked = await one.submit(page, `${path}/links`, { mode: 'view', ttl_seconds: '600' })
  t.match(linked.html, /https:\/\/browsers\.example\/live\/ses_\w+\?token=view\./)
})

t.test('an open page is told what changes, and to load again in another state', async (t) => {
  const { view, path } = running()
  const one = await signedIn(acme)
  const reader = new EventReader(await one.exchange('GET', `${path}/feed?status=running`))
  t.teardown(() => reader.close())
  await reader.next('parts')
  service.views.set({ ...view, tags: ['renamed'] })
  t.match((await reader.next<{ facts: string }>('parts')).facts, />renamed</)
  service.views.set({ ...view, status: 'completed', reason: 'idle' })
  await reader.next('over')
})

t.test('for others it does not exist; with admin, it is acted on for its tenant', async (t) => {
  const { view, path } = running()
  const one = await signedIn(other)
  for (const below of ['', '/live', '/glance', '/feed', '/downloads/fil_1']) {
    t.equal((await one.get(path + below)).status, 404, below)
  }
  const operator = await signedIn(admin)
  const page = await operator.get(path)
  t.equal(page.status, 200)
  await operator.submit(page, `${path}/tags`, { tags: 'seen' })
  const tagged = service.told.filter(({ command }) => command.type === 'tag').at(-1)
  t.match(tagged, { id: view.id, command: { tags: ['seen'] } })
})

t.test('a glance is taken once for all who look, without the session’s actor', async (t) => {
  const { path } = running()
  const one = await signedIn(acme)
  asked.length = 0
  const before = service.told.length
  const answers = await Promise.all(Array.from({ length: 20 }, () => one.get(`${path}/glance`)))
  for (const { html } of answers) {
    t.same(JSON.parse(html), {
      pages: [{ title: '<i>Shop</i>', url: 'https://shop.example/' }],
      picture: `data:image/jpeg;base64,${Buffer.from('a picture').toString('base64')}`,
    })
  }
  t.same(asked, ['glance'])
  t.equal(service.told.length, before, 'it is no activity')
})
