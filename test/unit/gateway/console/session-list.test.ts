/**
 * Goal: the console's list of sessions is searched and shown page by page, in words, and a thousand
 * sessions make no larger a page than fifty. Method: a real gateway with views that the test sets.
 */
import t from 'tap'
import { newId } from '../../../../proto/ids.ts'
import type { SessionView } from '../../../../proto/session/session.ts'
import { textOf, type PageHeard } from '../../../helpers/access/portal/plain-browser.ts'
import { signedInPlainly } from '../../../helpers/console/plain-visitor.ts'
import { playService, playedView } from '../../../helpers/gateway/gateway.ts'
import { keyOf } from '../../../helpers/gateway/played/keys.ts'

const names = ['empty', 'few', 'many'] as const
const keys = Object.fromEntries(names.map((name) => [name, keyOf(name)]))
const operator = keyOf('operator', { scopes: ['sessions', 'admin'] })
const service = await playService({
  keys: [operator, ...Object.values(keys)].map(({ record }) => record),
  env: { PUBLIC_URL: 'https://browsers.example' },
})
t.teardown(() => service.close())

const signedIn = (name: (typeof names)[number]) =>
  signedInPlainly(service.gateway.url, keys[name]!.text)

function have(tenant: string, more: Partial<SessionView> = {}): SessionView {
  const view = { ...playedView(newId('ses')), tenant, keyName: `${tenant} key`, ...more }
  service.views.set(view)
  return view
}

const rowsOf = ({ html }: PageHeard) =>
  [...html.matchAll(/<tr role="row" id="row-(ses_\w+)"/g)].length

t.test('without sessions, the page says what to do', async (t) => {
  const one = await signedIn('empty')
  const page = await one.get('/console')
  t.match(textOf(page), /No sessions are running A session is your own browser\. .*curl -X POST/)
  t.match(page.html, /href="\/console\/sessions\/new"/)
  t.match(textOf(await one.get('/console?show=ended')), /No sessions have ended yet/)
  t.match(textOf(await one.get('/console?search=nothing')), /No sessions match this search/)
})

t.test('states, reasons and times are in words', async (t) => {
  const one = await signedIn('few')
  const now = Date.now()
  have('few', { createdAtMs: now - 125_000, expiresAtMs: now + 600_500, tags: ['<b>shop</b>'] })
  have('few', { status: 'starting' })
  have('few', { status: 'failed', reason: 'browser_crashed', endedAtMs: now })
  have('few', { idleExpiresAtMs: now + 100_500, expiresAtMs: now + 900_000 })
  const page = await one.get('/console')
  t.equal(rowsOf(page), 3)
  t.match(textOf(page), /Active 3 Ended 1 All 4/)
  t.match(textOf(page), /Running In use 2 min (9|10) min few key node/)
  t.match(textOf(page), /Running Nothing connected \d s 1 min/)
  t.match(textOf(page), /Starting Waiting for a browser/)
  t.match(page.html, /&lt;b&gt;shop&lt;\/b&gt;/)
  t.match(textOf(await one.get('/console?show=ended')), /Failed The browser crashed/)
  t.equal(rowsOf(await one.get('/console?search=SHOP+few')), 1)
  t.equal(rowsOf(await one.get('/console?show=all&search=crashed')), 1)
})

t.test('only a key with admin sees other tenants, and may choose one', async (t) => {
  const admin = await signedInPlainly(service.gateway.url, operator.text)
  const all = await admin.get('/console?show=all')
  t.ok(rowsOf(all) > 4, 'with those of others')
  t.match(all.html, /<option value="few">/)
  const few = await admin.get('/console?tenant=few&show=ended')
  t.equal(rowsOf(few), 1)
  t.match(few.html, /<option value="few" selected="">/)
  t.match(textOf(few), /Active 3 Ended 1 All 4/)
  const none = await admin.get('/console?tenant=empty')
  t.match(textOf(none), /No sessions match this search/)
  t.match(none.html, /href="\/console">Clear the search/)
  const own = await signedIn('empty')
  t.notMatch((await own.get('/console')).html, 'id="f-tenant"')
  t.equal(rowsOf(await own.get('/console?tenant=few')), 0)
})

t.test('a thousand sessions are pages of fifty, newest first, and no larger', async (t) => {
  const views = Array.from({ length: 1_000 }, (_, n) => {
    const tags = n % 100 === 0 ? ['hundredth'] : []
    return have('many', { createdAtMs: 1_700_000_000_000 + n * 1_000, tags })
  })
  const one = await signedIn('many')
  const first = await one.get('/console')
  t.equal(rowsOf(first), 50)
  t.match(textOf(first), /Active 1,000 /)
  t.match(textOf(first), /page 1 of 20/)
  t.match(first.html, `row-${views.at(-1)!.id}`)
  t.ok(first.html.length < 200_000, 'of 50 rows')
  const last = await one.get('/console?page=20')
  t.equal(rowsOf(last), 50)
  t.match(last.html, `row-${views[0]!.id}`)
  t.equal(rowsOf(await one.get('/console?page=99')), 50, 'beyond the end is the last page')
  t.equal(rowsOf(await one.get('/console?search=hundredth')), 10)
  t.equal(rowsOf(await one.get(`/console?search=${views[500]!.id}`)), 1)
})
