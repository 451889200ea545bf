// Goal: the operator sees who used the service, from where, and what it refused. Method: a real
// service and real clients, keys made by the command line; entries are read over REST, by the
// command, and as messages of NATS.
import t from 'tap'
import type { ServiceAuditEntry } from '../../../proto/service-audit.ts'
import { connectPlaywright, connectRaw } from '../../helpers/browser/browsers.ts'
import { newKey, troupeOf } from '../../helpers/service/keys.ts'
import { LiveSocket } from '../../helpers/gateway/live-socket.ts'
import { createSession, headless, restClient, startService } from '../../helpers/service/service.ts'
import { openSocket } from '../../helpers/lib/socket-fate.ts'
import { until } from '../../helpers/lib/until.ts'

type Entry = ServiceAuditEntry & { readonly n: number }
interface Page {
  readonly data: { readonly entries: readonly Entry[]; readonly next: number | null }
}

const service = await startService()
t.teardown(() => service.stop())

const admin = await newKey(service, 'operator', '--scopes', 'admin')
const mine = await newKey(service, 'mine')

const list = async (query: string): Promise<readonly Entry[]> =>
  (await admin.rest<Page>('GET', `/v1/audit?${query}`)).body.data.entries

const written = (query: string, actions: readonly string[]) =>
  until(`${actions.join(', ')} are written`, async () => {
    const found = await list(query)
    const known = new Set(found.map(({ action }) => action as string))
    return actions.every((action) => known.has(action)) && found
  })

t.test('a session is told from its creation to its end, with who and from where', async (t) => {
  const network = { deny: ['closed.example'] }
  const { id, ...session } = await createSession(mine.rest, { ...headless, session: { network } })
  const browser = await connectPlaywright(session.cdp_url)
  const cdp = await browser.newBrowserCDPSession()
  for (let times = 0; times < 3; times++) await t.rejects(cdp.send('Browser.getBrowserCommandLine'))
  await t.rejects(browser.contexts()[0]!.pages()[0]!.goto('https://closed.example/'))
  await written(`session_id=${id}`, ['network.refuse'])
  const viewer = await LiveSocket.open(session.live_view_url)
  await mine.rest('POST', `/v1/sessions/${id}/tokens`, { scopes: ['view'] })
  viewer.close()
  await viewer.closed
  await browser.close()
  await mine.rest('DELETE', `/v1/sessions/${id}`)

  const actions = ['session.create', 'cdp.attach', 'cdp.refuse', 'network.refuse', 'live.open']
  actions.push('token.create', 'live.close', 'cdp.detach', 'session.end', 'session.ended')
  const entries = await written(`session_id=${id}`, actions)
  const told = entries.map(({ action }) => action)
  t.same(told.toSorted(), actions.toSorted(), 'each once, and one for refusals that are alike')
  for (const entry of entries) t.match(entry, { tenant: 'acme', key_id: mine.id }, entry.action)
  for (const { action, address } of entries) {
    const isOfRequest = !['session.ended', 'network.refuse', 'cdp.refuse'].includes(action)
    if (isOfRequest) t.equal(address, '127.0.0.1', action)
  }
  const of = (action: string) => entries.find((entry) => entry.action === action)
  t.match(of('cdp.refuse'), {
    outcome: 'refused',
    detail: { method: 'Browser.getBrowserCommandLine' },
  })
  t.match(of('network.refuse'), { outcome: 'refused', detail: { host: /^closed\.example/ } })
  t.match(of('live.open'), { detail: { mode: 'control' } })
  t.match(of('session.ended'), { detail: { reason: 'deleted' } })
  const numbers = entries.map(({ n }) => n)
  const downwards = numbers.toSorted((a, b) => b - a)
  t.same(numbers, downwards, 'the newest first')
})

t.test('so is a session that a socket made for itself', async (t) => {
  const key = await newKey(service, 'one-url')
  const url = `${service.baseUrl.replace('http', 'ws')}/?apiKey=${key.text}&headless=true`
  const client = await connectRaw(url)
  client.close()
  const [created] = await written(`key_id=${key.id}&action=session.create`, ['session.create'])
  const actions = ['session.create', 'cdp.attach', 'cdp.detach', 'session.ended']
  const entries = await written(`session_id=${created!.session_id}`, actions)
  t.same(entries.map(({ action }) => action).toSorted(), actions.toSorted())
  t.match(created, { tenant: 'acme', address: '127.0.0.1', outcome: 'done' })
})

t.test('wrong keys, and keys without the scope, are told once for many tries', async (t) => {
  const wrong = restClient(service.baseUrl, 'tk_000000000000_0000000000000000000000')
  const viewer = await newKey(service, 'wall', '--scopes', 'view')
  for (let times = 0; times < 5; times++) {
    t.equal((await wrong('GET', '/v1/sessions')).status, 401)
    t.equal((await viewer.rest('POST', '/v1/sessions', headless)).status, 403)
    t.equal((await viewer.rest('GET', '/v1/audit')).status, 403)
  }
  t.equal((await openSocket(`${service.baseUrl.replace('http', 'ws')}/?sessionId=x`)).status, 401)
  const [refused, ...others] = await written('action=key.refuse', ['key.refuse'])
  t.match(refused, { outcome: 'refused', address: '127.0.0.1', tenant: undefined })
  t.same(others, [])
  const scopes = await until('both are told', async () => {
    const found = await list(`action=scope.refuse&key_id=${viewer.id}`)
    return found.length >= 2 && found
  })
  const routes = scopes.map(({ detail }) => detail?.['route'])
  t.same(routes.toSorted(), ['GET /v1/audit', 'POST /v1/sessions'])
})

t.test('what the operator does by commands is told, with the user of the machine', async (t) => {
  const gone = await newKey(service, 'gone', '--tenant', 'other')
  await troupeOf(service, 'keys', 'revoke', gone.id)
  const entries = await list(`key_id=${gone.id}`)
  t.match(
    entries.map(({ action, tenant, address, detail }) => ({ action, tenant, address, detail })),
    [
      { action: 'key.revoke', tenant: 'other', address: 'cli', detail: { name: 'gone' } },
      { action: 'key.create', tenant: 'other', address: 'cli', detail: { name: 'gone' } },
    ],
  )
  t.type(entries[0]?.detail?.['user'], 'string')
  const { stdout } = await troupeOf(service, 'audit', 'list', '--key', gone.id)
  t.match(stdout, /key\.create .*other .*\n.*key\.revoke/, 'the oldest first')
  const { stdout: json } = await troupeOf(
    service,
    ...['audit', 'list', '--tenant', 'other', '--action', 'key.revoke', '--json'],
  )
  t.match(JSON.parse(json), { action: 'key.revoke', key_id: gone.id })
})

t.test('pages lead to the oldest entry, each entry on one of them', async (t) => {
  const all = await list('limit=500')
  const seen: number[] = []
  for (let next: number | null = all[0]!.n + 1; next !== null;) {
    const path: string = `/v1/audit?limit=3&before=${next}`
    const { data } = (await admin.rest<Page>('GET', path)).body
    seen.push(...data.entries.map(({ n }) => n))
    next = data.next
  }
  t.same(
    seen,
    all.map(({ n }) => n),
  )
  const since = all[2]!.at
  const newer = await list(`since=${since}`)
  t.ok(newer.length >= 3 && newer.every(({ at }) => at >= since))
  for (const query of ['action=nothing', 'limit=0', 'tenant=a.b', 'since=yesterday', 'who=me']) {
    t.equal((await admin.rest('GET', `/v1/audit?${query}`)).status, 400, query)
  }
})
