/**
 * Goal: keys are made, listed and revoked over REST by keys with the scope `admin`, and none makes a
 * key that may do more than itself. Method: a real gateway on a real port over an in-memory store.
 */
import t from 'tap'
import { keyScopeNames, tenantScopes } from '../../../../proto/accounts/key-scopes.ts'
import { newId } from '../../../../proto/ids.ts'
import { playService, playedView } from '../../../helpers/gateway/gateway.ts'
import { keyOf } from '../../../helpers/gateway/played/keys.ts'
import { until } from '../../../helpers/lib/until.ts'

interface Key {
  readonly id: string
  readonly key: string
  readonly tenant: string
  readonly name: string
  readonly state: string
  readonly scopes: readonly string[]
  readonly max_sessions?: number
  readonly expires_at?: string
}

const endsAtMs = Date.now() + 3_600_000
const root = keyOf('house', { scopes: keyScopeNames, allowPrivate: true })
const small = keyOf('house', {
  scopes: ['view', 'admin'],
  limits: { sessions: 2 },
  expiresAtMs: endsAtMs,
})
const figures = keyOf('house', { scopes: ['admin'] })
const scraper = keyOf('house', { scopes: ['metrics'] })
const acme = keyOf('acme')
const service = await playService({
  keys: [root, small, figures, scraper, acme].map(({ record }) => record),
  env: { PUBLIC_URL: 'https://browsers.example' },
})
t.teardown(() => service.close())

async function ask<T = Key>(
  key: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
) {
  const answer = await fetch(service.gateway.url + path, {
    method,
    headers: { 'service-api-key': key, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const { data, error } = (await answer.json()) as {
    readonly data: T
    readonly error: Readonly<Record<string, unknown>>
  }
  return { status: answer.status, data, error }
}

const path = '/v1/admin/keys'
const make = (by: { readonly text: string }, body: unknown) => ask(by.text, 'POST', path, body)

t.test('a key is made, works, is listed without its text, and is revoked', async (t) => {
  const wanted = { tenant: 'acme', name: 'ci', scopes: ['view', 'sessions'], max_sessions: 3 }
  const { status, data } = await make(root, wanted)
  t.equal(status, 201)
  t.match(data, { ...wanted, scopes: ['sessions', 'view'], state: 'active', key: /^trp_/ })
  await until('it is accepted', async () => (await ask(data.key, 'GET', '/v1/sessions')).data)
  const view = { ...playedView(newId('ses')), tenant: 'acme', keyId: data.id }
  service.views.set(view)
  type List = { readonly keys: readonly (Key & { readonly sessions: number })[] }
  const list = await ask<List>(root.text, 'GET', `${path}?tenant=acme&limit=50`)
  t.same(
    list.data.keys.map(({ id }) => id).toSorted(),
    [acme.record.id, data.id].toSorted(),
    'of one tenant',
  )
  const listed = list.data.keys.find(({ id }) => id === data.id)
  t.match(listed, { sessions: 1, max_sessions: 3 })
  t.notMatch(JSON.stringify(list.data), data.key)
  t.notMatch(JSON.stringify(list.data), /secretHash/i)
  const revoked = await ask(root.text, 'DELETE', `${path}/${data.id}?end_sessions=true`)
  t.match(revoked.data, { id: data.id, state: 'revoked', sessions_ended: 1 })
  t.match(service.told.at(-1), { id: view.id, command: { type: 'end' } })
  await until(
    'it is refused',
    async () => (await ask(data.key, 'GET', '/v1/sessions')).status === 401,
  )
  t.equal((await ask(root.text, 'DELETE', `${path}/${data.id}`)).status, 200, 'twice is no error')
  t.equal((await ask(root.text, 'DELETE', `${path}/000000000000`)).status, 404)
  t.equal((await ask(root.text, 'DELETE', `${path}/service.secret`)).status, 404)
  const detail = { key_id: data.id, tenant: 'acme', name: 'ci' }
  const about = { outcome: 'done', key_id: root.record.id, detail } as const
  const entries = service.audited.filter((entry) => entry.detail?.['key_id'] === data.id)
  t.match(entries[0], { action: 'key.create', ...about })
  t.match(entries[1], { action: 'key.revoke', ...about })
})

t.test('without scopes, a key gets those of its maker, but never admin', async (t) => {
  const all = await make(root, { name: 'all' })
  t.same(all.data.scopes, tenantScopes)
  t.match(all.data, { tenant: 'house' })
  const some = await make(small, { name: 'some' })
  t.same(some.data.scopes, ['view'])
  t.equal(some.data.max_sessions, 2, 'nor more sessions')
  t.equal(Date.parse(some.data.expires_at ?? ''), endsAtMs, 'nor a longer life')
  t.match(await make(figures, { name: 'none' }), { status: 400, error: { field: 'scopes' } })
  t.equal((await make(figures, { name: 'same', scopes: ['admin'] })).status, 201)
})

t.test('no key makes one that may do more than itself', async (t) => {
  const later = new Date(endsAtMs + 60_000).toISOString()
  for (const [field, more] of Object.entries({
    scopes: ['view', 'drive'],
    allow_private: true,
    max_sessions: 3,
    expires_at: later,
  })) {
    const { status, error } = await make(small, { name: 'more', [field]: more })
    t.match({ status, error }, { status: 403, error: { type: 'forbidden', field } }, field)
    t.match((await make(root, { name: 'fine', [field]: more })).status, 201, field)
  }
  const past = await make(root, { name: 'past', expires_at: '2020-01-01T00:00:00Z' })
  t.match(past, { status: 400, error: { field: 'expires_at' } })
  for (const wrong of [{}, { name: ' x' }, { name: 'x', tenant: 'a.b' }, { name: 'x', more: 1 }]) {
    t.equal((await make(root, wrong)).status, 400, JSON.stringify(wrong))
  }
})

t.test('other keys neither see, make nor revoke any', async (t) => {
  t.equal((await ask(acme.text, 'GET', path)).status, 403)
  t.equal((await make(acme, { name: 'x' })).status, 403)
  const { status } = await ask(acme.text, 'DELETE', `${path}/${acme.record.id}`)
  t.equal(status, 403)
})

t.test('a key for figures reads them, and neither operates the service nor uses it', async (t) => {
  const headers = { 'service-api-key': scraper.text }
  const figures = await fetch(`${service.gateway.url}/metrics`, { headers })
  t.equal(figures.status, 200)
  t.match(await figures.text(), /^# HELP /)
  for (const route of [path, '/v1/admin/hosts']) {
    t.equal((await ask(scraper.text, 'GET', route)).status, 403, route)
  }
  const session = await ask(scraper.text, 'POST', '/v1/sessions', {})
  t.match(session, { status: 403, error: { message: /has metrics\.$/ } })
})

t.test('sent twice with an Idempotency-Key, one key is made and shown once', async (t) => {
  const headers = { 'idempotency-key': 'once' }
  const body = { name: 'only one', tenant: 'twice' }
  t.equal((await ask(root.text, 'POST', path, body, headers)).status, 201)
  const again = await ask(root.text, 'POST', path, body, headers)
  t.match(again, { status: 409, error: { type: 'secret_already_shown' } })
  type List = { readonly total: number }
  t.equal((await ask<List>(root.text, 'GET', `${path}?tenant=twice`)).data.total, 1)
})
