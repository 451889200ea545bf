/**
 * Somebody who was given a key for one thing, or a token for a part of one session, wants the rest.
 * Method: a real service and Chromium, keys made by the command line, every door tried with each.
 */
import t from 'tap'
import { socketCodes } from '../../../gateway/server/closing.ts'
import { keyScopeNames, type KeyScope } from '../../../proto/accounts/key-scopes.ts'
import { newKey, troupeOf, type TestKey } from '../../helpers/service/keys.ts'
import { LiveSocket } from '../../helpers/gateway/live-socket.ts'
import { createSession, headless, restClient, startService } from '../../helpers/service/service.ts'
import { openSocket } from '../../helpers/lib/socket-fate.ts'
import { until } from '../../helpers/lib/until.ts'

const service = await startService({ env: { POOL_HEADLESS: '1', POOL_HEADFUL: '0' } })
t.teardown(() => service.stop())
const owner = await newKey(service, 'owner')
const session = await createSession(owner.rest, headless)
const path = `/v1/sessions/${session.id}`

/**
 * One door of each scope, asked for in a way that changes nothing. On loopback `/metrics` is open to
 * all; the server's own tests ask for it from outside.
 */
const doors: Readonly<Record<Exclude<KeyScope, 'metrics'>, readonly [string, string, unknown?]>> = {
  sessions: ['PUT', `${path}/tags`, { tags: [] }],
  drive: ['GET', `${path}/screenshot`],
  view: ['POST', `${path}/live-tokens`, { mode: 'view' }],
  tasks: ['GET', '/v1/tools/perform-web-task'],
  files: ['GET', `${path}/uploads`],
  credentials: ['GET', '/v1/credentials'],
  admin: ['GET', '/v1/admin/tenants'],
}
/** Which scopes open which other doors too. */
const alsoOpens: Partial<Record<KeyScope, KeyScope>> = { drive: 'view' }

const knock = async ({ rest }: Pick<TestKey, 'rest'>, door: readonly [string, string, unknown?]) =>
  rest<{ error?: { message: string; scopes: string[] } }>(...door)

const hello = (live: LiveSocket) =>
  until('it is told what it may', () => live.told.find(({ type }) => type === 'hello'))

t.test('a key opens what its scopes say, and nothing else', async (t) => {
  for (const scope of keyScopeNames) {
    const key = await newKey(service, scope, '--scopes', scope)
    for (const [name, door] of Object.entries(doors)) {
      const { status, body } = await knock(key, door)
      const isOpen = name === scope || name === alsoOpens[scope]
      t.equal(status, isOpen ? 200 : 403, `${scope}: ${door[0]} ${door[1]}`)
      if (isOpen) continue
      t.match(body.error!.message, `but has ${scope}.`)
      t.ok(body.error!.scopes.includes(name))
    }
  }
})

t.test('nor do the addresses that it is told', async (t) => {
  const key = await newKey(service, 'lists', '--scopes', 'sessions')
  type Told = { data: { cdp_url: string; live_view_url: string } }
  const { data } = (await key.rest<Told>('GET', path)).body
  t.equal((await openSocket(data.cdp_url)).status, 403)
  await t.rejects(LiveSocket.open(data.live_view_url), /40[13]/)
  const ws = service.baseUrl.replace('http', 'ws')
  t.equal((await openSocket(`${ws}/ws?apiKey=${key.text}`)).status, 403)
  t.equal((await openSocket(`${ws}/?apiKey=${key.text}&sessionId=${session.id}`)).status, 403)
  const looks = await newKey(service, 'looks', '--scopes', 'view')
  const told = (await looks.rest<Told>('GET', path)).body.data
  const view = await LiveSocket.open(told.live_view_url)
  t.match(await hello(view), { mode: 'view' })
  view.close()
  const control = await looks.rest('POST', `${path}/live-tokens`, { mode: 'control' })
  t.equal(control.status, 403)
})

t.test('the scope admin reaches every tenant, and comes with no other key', async (t) => {
  for (const [method, route] of [
    ['GET', '/v1/admin/sessions'],
    ['GET', '/v1/admin/tenants'],
    ['DELETE', `/v1/admin/sessions/${session.id}`],
    ['GET', '/v1/admin/hosts'],
    ['POST', '/v1/admin/hosts/node/drain'],
    ['GET', '/v1/admin/keys'],
    ['DELETE', `/v1/admin/keys/${owner.id}`],
  ] as const) {
    t.equal((await owner.rest(method, route)).status, 403, route)
  }
  const operator = await newKey(service, 'operator', '--tenant', 'house', '--scopes', 'admin')
  t.equal((await operator.rest('GET', path)).status, 404, 'their own routes stay those of a tenant')
  const doomed = await createSession(owner.rest, headless)
  type List = { data: { sessions: { id: string; tenant: string; status: string }[] } }
  const list = async (query: string) =>
    (await operator.rest<List>('GET', `/v1/admin/sessions?limit=50&${query}`)).body.data.sessions
  const alive = await until('its running session is listed', async () => {
    const running = await list('tenant=acme&status=running')
    return running.some(({ id, tenant }) => id === doomed.id && tenant === 'acme') && running
  })
  t.same(await list('tenant=house'), [])
  type Tenants = { data: { tenants: { tenant: string; sessions: number; keys: number }[] } }
  const { tenants } = (await operator.rest<Tenants>('GET', '/v1/admin/tenants')).body.data
  t.match(
    tenants.find(({ tenant }) => tenant === 'acme'),
    { sessions: alive.length, keys: Number, sessions_limit: Number },
  )
  t.equal((await operator.rest('DELETE', `/v1/admin/sessions/${doomed.id}`)).status, 200)
  t.match((await owner.rest('GET', `/v1/sessions/${doomed.id}`)).body, {
    data: { reason: 'deleted' },
  })
  const unknown = await operator.rest('DELETE', '/v1/admin/sessions/ses_nobody')
  t.equal(unknown.status, 404)
})

interface Token {
  readonly data: {
    readonly token: string
    readonly scopes: readonly string[]
    readonly cdp_url?: string
    readonly live_view_url?: string
  }
}

async function newToken(scopes: readonly string[], ttl_seconds = 60): Promise<Token['data']> {
  const body = { scopes, ttl_seconds }
  const answer = await owner.rest<Token>('POST', `${path}/tokens`, body)
  t.equal(answer.status, 200)
  return answer.body.data
}

const cdpUrl = (key: string, id = session.id) =>
  `${service.baseUrl.replace('http', 'ws')}/?apiKey=${key}&sessionId=${id}`

t.test('a token opens its part of its session, and nothing else', async (t) => {
  const other = await createSession(owner.rest, headless)
  const cdp = await newToken(['cdp'])
  t.match(Object.keys(cdp).sort(), ['cdp_url', 'expires_at', 'scopes', 'token'])
  const socket = await openSocket(cdp.cdp_url!)
  t.equal(socket.status, 101)
  socket.close()
  t.equal((await openSocket(cdpUrl(cdp.token, other.id))).status, 401, 'another session')
  const files = await newToken(['files'])
  t.equal((await openSocket(cdpUrl(files.token))).status, 403)
  const holder = { rest: restClient(service.baseUrl, files.token) }
  t.equal((await knock(holder, doors.files)).status, 200)
  const elsewhere = ['GET', `/v1/sessions/${other.id}/uploads`] as const
  t.equal((await knock(holder, elsewhere)).status, 401)
  for (const [name, door] of Object.entries(doors)) {
    const refused = await knock({ rest: restClient(service.baseUrl, cdp.token) }, door)
    t.ok([401, 403].includes(refused.status), name)
    if (name !== 'files') t.ok([401, 403].includes((await knock(holder, door)).status), name)
  }
  for (const route of [path, '/v1/sessions', `${path}/tokens`] as const) {
    const method = route.endsWith('tokens') ? 'POST' : 'GET'
    const wanted = method === 'POST' ? { scopes: ['cdp'] } : undefined
    const { status } = await holder.rest(method, route, wanted)
    t.ok([401, 403].includes(status), route)
  }
  const link = await LiveSocket.open((await newToken(['view'])).live_view_url!)
  t.match(await hello(link), { mode: 'view' })
  link.close()
  const both = await newToken(['view', 'control', 'files'])
  t.same(both.scopes, ['control', 'view', 'files'])
})

t.test('nobody makes a token for more than their key may', async (t) => {
  const key = await newKey(service, 'half', '--scopes', 'view,files')
  for (const [scopes, status] of [
    [['view', 'files'], 200],
    [['cdp'], 403],
    [['view', 'control'], 403],
    [[], 400],
    [['admin'], 400],
  ] as const) {
    t.equal((await key.rest('POST', `${path}/tokens`, { scopes })).status, status, String(scopes))
  }
})

t.test('nobody makes a key for more than their own may', async (t) => {
  const operator = await newKey(
    service,
    'keeper',
    ...['--tenant', 'house', '--scopes', 'view,admin', '--max-sessions', '2', '--expires', '12h'],
  )
  const make = (rest: TestKey['rest'], more: object) =>
    rest<{ data: { key: string; scopes: string[] } }>('POST', '/v1/admin/keys', {
      ...{ name: 'made', tenant: 'acme' },
      ...more,
    })
  const inAYear = new Date(Date.now() + 365 * 86_400_000).toISOString()
  for (const more of [
    { scopes: ['view', 'drive'] },
    { allow_private: true },
    { max_sessions: 3 },
    { expires_at: inAYear },
  ]) {
    t.equal((await make(operator.rest, more)).status, 403, JSON.stringify(more))
  }
  const made = await make(operator.rest, {})
  t.equal(made.status, 201)
  t.same(made.body.data.scopes, ['view'])
  const rest = restClient(service.baseUrl, made.body.data.key)
  await until('it is known', async () => (await rest('GET', '/v1/sessions')).status === 200)
  t.equal((await knock({ rest }, doors.view)).status, 200)
  for (const { rest: other } of [owner, { rest }]) {
    t.equal((await make(other, { scopes: ['view'] })).status, 403)
    t.equal((await other('GET', '/v1/admin/keys?tenant=house')).status, 403)
  }
})

t.test('what was opened by tokens ends with them', async (t) => {
  const { policyViolation } = socketCodes
  const [kept, token] = [await openSocket(session.cdp_url), await newToken(['cdp', 'view'])]
  const socket = await openSocket(token.cdp_url!)
  const live = await LiveSocket.open(token.live_view_url!)
  t.equal((await owner.rest('DELETE', `${path}/tokens`)).status, 200)
  t.equal(await socket.closed, policyViolation)
  t.match(await live.closed, { code: policyViolation, reason: /^link_over/ })
  t.equal((await openSocket(token.cdp_url!)).status, 401)
  t.equal((await openSocket(session.cdp_url)).status, 101, 'the cdp_url is no token')
  const short = await openSocket((await newToken(['cdp'], 10)).cdp_url!)
  t.equal(await short.closed, policyViolation, 'when its time is over')
  const last = await newKey(service, 'last')
  const theirs = await last.rest<Token>('POST', `${path}/tokens`, { scopes: ['cdp'] })
  const open = await openSocket(theirs.body.data.cdp_url!)
  t.equal(open.status, 101)
  await troupeOf(service, 'keys', 'revoke', last.id)
  t.equal(await open.closed, policyViolation, 'with the key that made it')
  kept.close()
})

t.test('scopes are shown, and checked when a key is made', async (t) => {
  const { stdout } = await troupeOf(service, 'keys', 'list')
  t.match(stdout, /half +view, files/)
  const args = ['keys', 'create', '--tenant', 'acme', '--name', 'x', '--scopes', 'view,fly']
  await t.rejects(troupeOf(service, ...args), new RegExp(keyScopeNames.join(', ')))
})
