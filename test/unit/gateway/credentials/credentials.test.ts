// Goal: tenants set, list, remove and log in to their accounts with model providers over REST, at
// any gateway, and no secret appears anywhere. Method: two gateways on one store, the rest played,
// and an authorization server; everything that they say and write is searched at the end.
import { Writable } from 'node:stream'
import { pino } from 'pino'
import t from 'tap'
import { newKey, type KeyRecord } from '../../../../proto/accounts/key.ts'
import { buckets } from '../../../../proto/subjects.ts'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import { playService } from '../../../helpers/gateway/gateway.ts'
import { OAuthServer } from '../../../helpers/accounts/oauth-server.ts'
import { entriesOf } from '../../../../runtime/store/entries-of.ts'
import { restClient, type ErrorJson } from '../../../helpers/service/service.ts'

const server = await OAuthServer.start({ clientSecret: 'the-client-secret-of-tests' })
const store = new MemoryStore()
const written: string[] = []
const log = pino(
  { level: 'trace' },
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk.toString())
      done()
    },
  }),
)

const keys: KeyRecord[] = []
function tenantKey(tenant: string): string {
  const { id, text, secretHash } = newKey()
  keys.push({ id, name: tenant, tenant, secretHash, createdAtMs: 0, limits: {} })
  return text
}
const acmeKey = tenantKey('acme')
const boltKey = tenantKey('bolt')

const env = {
  OAUTH_PROVIDERS: JSON.stringify(server.settings),
  XAI_API_KEY: 'xai-key-of-the-operator-0001',
  AI_PROVIDER: 'xai',
}
const [one, two] = await Promise.all([
  playService({ accounts: store, log, keys, env }),
  playService({ accounts: store, log, keys, env }),
])
t.teardown(() => Promise.all([one.close(), two.close(), server.close()]))

interface Answer {
  readonly data: {
    readonly credentials: Record<string, unknown>[]
    readonly id: string
    readonly authorize_url: string
  }
  readonly error: ErrorJson
}

const said: string[] = []
function client(baseUrl: string, key: string) {
  const rest = restClient(baseUrl, key)
  return async (method: string, path: string, body?: unknown) => {
    const answer = await rest<Answer>(method, path, body)
    said.push(JSON.stringify([answer.body, ...answer.headers]))
    return answer
  }
}
const acme = client(one.gateway.url, acmeKey)
const acmeAtTwo = client(two.gateway.url, acmeKey)
const bolt = client(one.gateway.url, boltKey)

t.test('a gateway without its service’s key says which one to copy', async (t) => {
  const DATA_DIR = t.testdir()
  const keyless = await playService({ accounts: store, log, keys, env: { SEAL_KEY: '', DATA_DIR } })
  t.teardown(() => keyless.close())
  const body = { api_key: groqKey }
  const set = await client(keyless.gateway.url, acmeKey)('PUT', '/v1/credentials/groq', body)
  const message = /no key.*copy it from another.*SEAL_KEY.*DATA_DIR\/seal\.key/
  t.match(set, { status: 503, body: { error: { type: 'unavailable', message } } })
})

const groqKey = 'gsk_a-very-secret-key-7391'

t.test('a key is set, shown by its last characters, and removed', async (t) => {
  const price = { input_per_million_usd: 0.5, output_per_million_usd: 1.5 }
  const set = await acme('PUT', '/v1/credentials/groq', { api_key: groqKey, model: 'm', price })
  t.match(set, { status: 200, body: { data: { provider: 'groq', hint: '7391', price } } })
  t.match((await acmeAtTwo('GET', '/v1/credentials')).body.data, {
    credentials: [{ provider: 'groq', kind: 'api_key', hint: '7391', model: 'm', price }],
    shared: ['xai'],
    default: 'groq',
  })
  const others = await bolt('GET', '/v1/credentials')
  t.match(others.body.data, { credentials: [], shared: ['xai'], default: 'xai' })
  t.equal((await bolt('DELETE', '/v1/credentials/groq')).status, 404)
  t.equal((await acme('DELETE', '/v1/credentials/groq')).status, 200)
  t.equal((await acme('DELETE', '/v1/credentials/groq')).status, 404)
  t.match((await acme('GET', '/v1/credentials')).body.data, { credentials: [], default: 'xai' })
})

const refusals: readonly (readonly [string, unknown, RegExp])[] = [
  ['grok', { api_key: 'k' }, /provider must be one of openai/],
  ['openai', {}, /api_key is needed/],
  ['openai', { api_key: 'two words' }, /api_key must be printable ASCII/],
  ['openai', { api_key: 'k', modle: 'x' }, /modle is not a known field/],
  ['openai', { api_key: 'k', model: 'a b' }, /model must be a name/],
  ['openai', { api_key: 'k', price: { input_per_million_usd: 1 } }, /output_per_million_usd/],
  ['azure', { api_key: 'k' }, /base_url is needed/],
  ['compatible', {}, /base_url is needed/],
  ...[
    ...['http://models.example.com/v1', 'https://localhost/v1', 'https://127.0.0.1/v1'],
    ...['https://[::1]/v1', 'https://169.254.169.254/latest', 'https://10.0.0.8:8443/v1'],
    ...['https://2130706433/v1', 'https://vault.internal/v1', 'https://printer/v1'],
  ].map((url) => ['compatible', { base_url: url }, /must be https, and public/] as const),
  ['compatible', { base_url: 'ftp://example.com' }, /must be a URL such as/],
  ['compatible', { base_url: 'https://me:pass@example.com/v1' }, /no user/],
  ['compatible', { base_url: 'https://example.com/v1?key=1' }, /no user, query/],
]
for (const [provider, body, message] of refusals) {
  t.test(`${provider} ${JSON.stringify(body)} is refused with what to do`, async (t) => {
    const answer = await acme('PUT', `/v1/credentials/${provider}`, body)
    t.equal(answer.status, 400)
    t.match(answer.body.error.message, message)
  })
}

t.test('a login with a page: started at one gateway, finished at the other', async (t) => {
  const begun = await acme('POST', '/v1/credentials/openai/login', { model: 'm-1' })
  t.match(begun.body.data, { flow: 'code', status: 'pending', provider: 'openai' })
  const { id, authorize_url: url } = begun.body.data
  const path = `/v1/credentials/openai/login/${id}`
  t.match((await acmeAtTwo('GET', path)).body.data, { status: 'pending' })
  t.equal((await bolt('GET', path)).status, 404)

  const sentBack = new URL((await fetch(url, { redirect: 'manual' })).headers.get('location')!)
  t.equal(sentBack.origin, one.gateway.url)
  const page = await fetch(two.gateway.url + sentBack.pathname + sentBack.search)
  t.equal(page.status, 200)
  t.match(page.headers.get('content-security-policy'), /default-src 'none'/)
  t.match(await page.text(), /Logged in[^]*openai is ready/)
  t.match((await acme('GET', path)).body.data, { status: 'done' })
  t.match((await acme('GET', '/v1/credentials')).body.data, {
    credentials: [{ provider: 'openai', kind: 'oauth', model: 'm-1', expires_at: /^20/ }],
    default: 'openai',
  })

  const again = await fetch(sentBack)
  t.equal(again.status, 409)
  t.match(await again.text(), /Not logged in[^]*was completed already/)
})

t.test('a page with an unknown state says so, and shows none of its markup', async (t) => {
  for (const path of ['?state=<script>&code=1', '', '/<script>?code=1', '?state=%00']) {
    const answer = await fetch(`${one.gateway.url}/v1/credentials/callback${path}`)
    t.equal(answer.status, 404, path)
    const text = await answer.text()
    t.match(text, /start a new one/)
    t.notMatch(text, /<script>/)
  }
})

t.test('a person declines the login', async (t) => {
  server.consent = 'deny'
  const { body } = await acme('POST', '/v1/credentials/openai/login')
  const page = await fetch(body.data.authorize_url)
  server.consent = 'allow'
  t.equal(page.status, 400)
  t.match(await page.text(), /access_denied/)
  const path = `/v1/credentials/openai/login/${body.data.id}`
  t.match((await acme('GET', path)).body.data, { status: 'failed', error: /access_denied/ })
})

t.test('OpenRouter: the redirect carries the state', async (t) => {
  const { body } = await acme('POST', '/v1/credentials/openrouter/login')
  t.match(await (await fetch(body.data.authorize_url)).text(), /openrouter is ready/)
  const { credentials } = (await acme('GET', '/v1/credentials')).body.data
  t.match(
    credentials.find(({ provider }) => provider === 'openrouter'),
    { kind: 'api_key' },
  )
})

t.test('a login with a device code', async (t) => {
  const { body } = await acme('POST', '/v1/credentials/openai/login', { flow: 'device' })
  t.match(body.data, { user_code: 'WDJB-MJHT', verification_uri: /activate/, status: 'pending' })
  t.notOk(body.data.authorize_url)
})

t.test('a login that cannot start says why', async (t) => {
  const none = await acme('POST', '/v1/credentials/groq/login')
  t.match(none, { status: 400, body: { error: { message: /no login to groq/ } } })
})

t.test('no secret was sent or written anywhere', async (t) => {
  const stored: string[] = []
  for (const bucket of [buckets.credentials, buckets.logins]) {
    for (const { value } of await entriesOf(store.bucket(bucket))) {
      stored.push(Buffer.from(value).toString('latin1'))
    }
  }
  t.ok(written.length > 20 && said.length > 20 && stored.length > 3)
  const secrets = [...server.secrets, groqKey, env.XAI_API_KEY, 'the-client-secret-of-tests']
  for (const secret of secrets) {
    for (const place of [written, said, stored]) t.notOk(place.join('\n').includes(secret))
  }
  // The state is part of the address that is to be opened, and appears nowhere else.
  const states = said.join('\n').match(/lgn_\w{26}\.[\w-]{43}/g) ?? []
  t.ok(states.length > 0)
  for (const state of states) t.notOk([...written, ...stored].join('\n').includes(state))
})
