// Goal: a model is asked with the right account: the tenant's own, then everybody's, then the
// environment's; and a tenant's URL cannot point to an internal address, whatever its name resolves
// to.
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { apiProviders, everyTenant } from '../../../../proto/accounts/credential.ts'
import { systemClock } from '../../../../runtime/lib/clock.ts'
import { describeConfig, loadConfig } from '../../../../runtime/config/config.ts'
import { guardedFetch } from '../../../../runtime/accounts/credentials/guarded-fetch.ts'
import { openCredentials } from '../../../../runtime/accounts/credentials/open.ts'
import { CoalescedReads } from '../../../../runtime/lib/coalesced-reads.ts'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import { openSealer } from '../../../../runtime/accounts/seal/seal.ts'
import type { Bucket, Store } from '../../../../runtime/store/store.ts'
import { environmentOf } from '../../../../runtime/process/supervisor/environment.ts'
import { serve } from '../../../helpers/lib/loopback.ts'

const SEAL_KEY = Buffer.alloc(32, 7).toString('base64')

function open(env: Readonly<Record<string, string>> = {}, store: Store = new MemoryStore()) {
  const config = loadConfig({ SEAL_KEY, ...env })
  return openCredentials({ store, sealer: openSealer(config), clock: systemClock, config })
}

const whole = {
  OPENAI_API_KEY: 'openai-key',
  ANTHROPIC_API_KEY: 'anthropic-key',
  GEMINI_API_KEY: 'gemini-key',
  GROQ_API_KEY: 'groq-key',
  AZURE_OPENAI_API_KEY: 'azure-key',
  AZURE_OPENAI_ENDPOINT: 'https://mine.openai.azure.com/',
  XAI_API_KEY: 'xai-key',
  OPENROUTER_API_KEY: 'openrouter-key',
  OLLAMA_BASE_URL: 'http://localhost:11434',
  COMPATIBLE_BASE_URL: 'http://10.0.0.5:8000/v1/',
  COMPATIBLE_API_KEY: 'compatible-key',
}

t.test('every provider can be named in the environment', async (t) => {
  const { accounts } = open(whole)
  for (const provider of apiProviders) {
    const access = await accounts.find('acme', provider)
    t.equal(await access?.token(), provider === 'ollama' ? '' : `${provider}-key`, provider)
    t.equal(access?.fetch, undefined, 'the operator may name anything')
  }
  t.same(await accounts.shared(), [...apiProviders])
  t.match(await accounts.find('acme', 'azure'), {
    baseUrl: 'https://mine.openai.azure.com/openai/v1',
  })
  t.match(await accounts.find('acme', 'ollama'), { baseUrl: 'http://localhost:11434/v1' })
  t.match(await accounts.find('acme', 'compatible'), { baseUrl: 'http://10.0.0.5:8000/v1' })
})

t.test('missing accounts are not found', async (t) => {
  const { accounts } = open({ AZURE_OPENAI_API_KEY: 'without an endpoint' })
  for (const provider of [...apiProviders, 'acp:claude', 'nonsense']) {
    t.equal(await accounts.find('acme', provider), undefined, provider)
  }
  t.equal(await accounts.fallback('acme'), undefined)
})

t.test('a tenant’s own account comes first, then the one for everybody', async (t) => {
  const { accounts, setKey, records } = open({ GROQ_API_KEY: 'from the environment' })
  const token = async (tenant: string) => (await accounts.find(tenant, 'groq'))?.token()
  t.equal(await token('acme'), 'from the environment')
  await setKey(everyTenant, { provider: 'groq', apiKey: 'for-everybody' }, 'operator')
  t.equal(await token('acme'), 'for-everybody')
  await setKey('acme', { provider: 'groq', apiKey: 'of-acme' }, 'tenant')
  t.equal(await token('acme'), 'of-acme')
  t.equal(await token('bolt'), 'for-everybody')
  await records.remove('acme', 'groq')
  t.equal(await token('acme'), 'for-everybody')
})

t.test('a task without a provider gets its tenant’s latest, then AI_PROVIDER', async (t) => {
  const store = new MemoryStore()
  const { accounts, setKey } = open({ XAI_API_KEY: 'k' }, store)
  t.equal(await accounts.fallback('acme'), 'xai')
  await setKey(everyTenant, { provider: 'groq', apiKey: 'k' }, 'operator')
  t.equal(await accounts.fallback('acme'), 'groq', 'the first of those for everybody')
  const preferring = open({ AI_PROVIDER: 'acp:claude' }, store)
  t.equal(await preferring.accounts.fallback('acme'), 'acp:claude')
  await setKey('acme', { provider: 'openai', apiKey: 'k' }, 'tenant')
  t.equal(await preferring.accounts.fallback('acme'), 'openai')
  t.equal(await preferring.accounts.fallback('bolt'), 'acp:claude')
})

t.test('AI_MODEL is for AI_PROVIDER only, and the account’s model overrides it', async (t) => {
  const { accounts, setKey } = open({ ...whole, AI_PROVIDER: 'groq', AI_MODEL: 'big' })
  t.equal((await accounts.find('acme', 'groq'))?.model, 'big')
  t.equal((await accounts.find('acme', 'xai'))?.model, undefined)
  await setKey('acme', { provider: 'groq', apiKey: 'k' }, 'tenant')
  t.equal((await accounts.find('acme', 'groq'))?.model, 'big')
  await setKey('acme', { provider: 'groq', apiKey: 'k', model: 'small' }, 'tenant')
  t.equal((await accounts.find('acme', 'groq'))?.model, 'small')
})

/** A store that counts its reads and delays them until they are released. */
function slowStore() {
  const store = new MemoryStore()
  const held: (() => void)[] = []
  let reads = 0
  const slow = (bucket: Bucket): Bucket => ({
    ...bind(bucket),
    async get(key) {
      reads++
      const entry = await bucket.get(key)
      await new Promise<void>((resolve) => held.push(resolve))
      return entry
    },
  })
  return {
    store: { log: store.log, bucket: (name: string) => slow(store.bucket(name)) },
    reads: () => reads,
    /** Answers the pending reads, with what they found. */
    async answer() {
      for (const letGo of held.splice(0)) letGo()
      await setImmediate()
    },
  }
}

const bind = (bucket: Bucket): Bucket => ({
  get: (key) => bucket.get(key),
  create: (...given) => bucket.create(...given),
  update: (...given) => bucket.update(...given),
  put: (...given) => bucket.put(...given),
  delete: (key) => bucket.delete(key),
  scan: (prefix) => bucket.scan(prefix),
  watch: (...given) => bucket.watch(...given),
})

t.test('many requests without a provider share two rounds of reads', async (t) => {
  const { store, reads, answer } = slowStore()
  const { accounts } = open({}, store)
  const crowd = Array.from({ length: 50 }, () => accounts.fallback('acme'))
  await setImmediate()
  t.equal(reads(), 2 * apiProviders.length, 'its own and everybody’s at once')
  await answer()
  await answer()
  t.same(new Set(await Promise.all(crowd)), new Set([undefined]))
  t.equal(reads(), 4 * apiProviders.length)
})

t.test('a newly set account is used at once, whatever is being read', async (t) => {
  const { store, answer } = slowStore()
  const { accounts, setKey } = open({}, store)
  const before = accounts.find('acme', 'groq')
  await setImmediate()
  await setKey('acme', { provider: 'groq', apiKey: 'of-acme' }, 'tenant')
  const after = accounts.find('acme', 'groq')
  await answer()
  await answer()
  t.equal(await before, undefined)
  t.equal(await (await after)?.token(), 'of-acme')
})

t.test('a failed read fails only for those who asked for it', async (t) => {
  let away = true
  const reads = new CoalescedReads(async (key: string) => {
    if (away) throw new Error('away')
    return key
  })
  const first = reads.get('a')
  const second = reads.get('a')
  away = false
  await t.rejects(first, { message: 'away' })
  t.equal(await second, 'a')
})

t.test('AI_PRICES are for accounts at their default URL that have no price', async (t) => {
  const AI_PRICES = 'openai:3/15, groq:0.1/0.5,ollama:0/0,compatible:1/1'
  const { accounts, setKey } = open({ ...whole, AI_PRICES })
  const price = async (provider: string) => (await accounts.find('acme', provider))?.price
  const groq = { inputPerMillionUsd: 0.1, outputPerMillionUsd: 0.5 }
  t.same(await price('openai'), { inputPerMillionUsd: 3, outputPerMillionUsd: 15 })
  t.same(await price('ollama'), { inputPerMillionUsd: 0, outputPerMillionUsd: 0 })
  t.equal(await price('xai'), undefined)
  await setKey('acme', { provider: 'groq', apiKey: 'k' }, 'tenant')
  t.same(await price('groq'), groq)
  const own = { inputPerMillionUsd: 7, outputPerMillionUsd: 8 }
  await setKey('acme', { provider: 'groq', apiKey: 'k', price: own }, 'tenant')
  t.same(await price('groq'), own)
  const baseUrl = 'https://models.example.com/v1'
  await setKey('acme', { provider: 'compatible', baseUrl }, 'tenant')
  t.equal(await price('compatible'), undefined, 'the operator does not know this place')
  for (const bad of [
    '3/15',
    'grok:3/15',
    'openai:3',
    'openai:-3/15',
    'openai:3/15,',
    'openai:a/b',
  ]) {
    t.throws(() => loadConfig({ AI_PRICES: bad }), {
      message: /^AI_PRICES=.* use provider:in\/out/,
    })
  }
})

t.test('an account sealed with another key says what to do', async (t) => {
  const store = new MemoryStore()
  const provider = 'groq'
  await open({}, store).setKey('acme', { provider, apiKey: 'k' }, 'tenant')
  const other = open({ SEAL_KEY: Buffer.alloc(32, 8).toString('base64') }, store)
  const access = await other.accounts.find('acme', provider)
  await t.rejects(access!.token(), { name: 'AccessFailure', kind: 'auth', message: /SEAL_KEY/ })
})

t.test('an account record copied to another tenant cannot be used', async (t) => {
  const store = new MemoryStore()
  const { setKey, accounts } = open({}, store)
  await setKey('acme', { provider: 'groq', apiKey: 'of-acme' }, 'tenant')
  const bucket = store.bucket('credentials')
  const stolen = (await bucket.get('acme.groq'))!.value
  await bucket.put('evil.groq', stolen)
  await bucket.put('acme.xai', stolen)
  const moved = { name: 'AccessFailure', message: /copied/ }
  await t.rejects((await accounts.find('evil', 'groq'))!.token(), moved)
})

t.test(
  'URLs: a tenant’s is guarded, the operator’s is not, and single hosts can be allowed',
  async (t) => {
    const baseUrl = 'https://models.example.com/v1'
    const order = { provider: 'compatible', baseUrl } as const
    const store = new MemoryStore()
    const { setKey, accounts } = open({}, store)
    const guarded = async (from = accounts) => (await from.find('acme', 'compatible'))?.fetch
    await setKey('acme', order, 'tenant')
    t.ok(await guarded())
    t.notOk(await guarded(open({ ALLOW_PRIVATE_BASE_URLS: '1' }, store).accounts))
    await setKey('acme', { ...order, baseUrl: 'http://10.0.0.5/v1' }, 'operator')
    t.notOk(await guarded())
    const inside = { ...order, baseUrl: 'http://localhost:1/v1' }
    await t.rejects(setKey('acme', inside, 'tenant'), { message: /ALLOW_PRIVATE_BASE_URLS/ })
    await open({ ALLOW_PRIVATE_BASE_URLS: '1' }, store).setKey('acme', inside, 'tenant')
  },
)

t.test('a guarded fetch connects to no internal address, by number or by name', async (t) => {
  let asked = 0
  const { port } = new URL(
    await serve(t, (_, response) => {
      asked++
      response.end()
    }),
  )
  const addresses = ['127.0.0.1', '[::ffff:127.0.0.1]', '2130706433', '0.0.0.0']
  for (const host of [...addresses, 'localhost', 'never.to.be.looked.up.localhost']) {
    const refused = guardedFetch(`http://${host}:${port}/`)
    await t.rejects(refused, { cause: { name: 'NotPublic' } }, host)
  }
  t.equal(asked, 0)
})

t.test('a token is sent in the header that the provider reads', async (t) => {
  const headers: Record<string, unknown>[] = []
  const url = await serve(t, (request, response) => {
    headers.push(request.headers)
    response.end()
  })
  const provider = { client_id: 'c', token_endpoint: url, base_url: url, token_header: 'Api-Key' }
  const store = new MemoryStore()
  const { accounts, records } = open(
    { OAUTH_PROVIDERS: JSON.stringify({ azure: provider }) },
    store,
  )
  const grant = { tokens: { access: 'the-token' }, lifeMs: 1e6 }
  const login = { login: 'lgn_1', by: 'tenant', options: {}, grant } as const
  await records.setTokens('acme', 'azure', login)
  const access = await accounts.find('acme', 'azure')
  t.equal(access?.baseUrl, url)
  const init = { headers: { authorization: `Bearer ${await access!.token()}` } }
  await access!.fetch!(url, init)
  t.match(headers[0], { 'api-key': 'the-token', authorization: undefined })
})

t.test('no key is shown among the settings, nor when it is refused', async (t) => {
  const client = { client_id: 'c', client_secret: 'very-secret', token_endpoint: 'https://a.b/t' }
  const OAUTH_PROVIDERS = JSON.stringify({ openai: client })
  const rows = JSON.stringify(describeConfig(loadConfig({ ...whole, OAUTH_PROVIDERS })))
  t.notMatch(rows, /-key|very-secret/)
  const bad = [
    { OAUTH_PROVIDERS: '{"openai": very-secret' },
    { OAUTH_PROVIDERS: OAUTH_PROVIDERS.replace('https', 'http') },
    { OAUTH_PROVIDERS: OAUTH_PROVIDERS.replace('client_id', 'id') },
    { OAUTH_PROVIDERS: OAUTH_PROVIDERS.replace('openai', 'opnai') },
    { COMPATIBLE_BASE_URL: 'https://me:very-secret@example.com' },
  ]
  for (const env of bad) {
    const load = () => loadConfig(env)
    t.throws(load, { name: 'ConfigError', message: /^[A-Z_]+="…" is not usable: [^\n]+$/ })
    try {
      load()
    } catch (error) {
      t.notMatch(String(error), /very-secret/)
    }
  }
  t.throws(() => loadConfig({ AI_PROVIDER: 'grok' }), { message: /^AI_PROVIDER="grok"/ })
})

t.test('a host of browsers gets no account', async (t) => {
  const before = { ...process.env }
  Object.assign(process.env, { ...whole, SEAL_KEY, LOG_LEVEL: 'warn' })
  t.teardown(() => {
    process.env = before
  })
  t.match(environmentOf('actors'), { OPENAI_API_KEY: 'openai-key', SEAL_KEY })
  t.match(environmentOf('gateway'), { OPENAI_API_KEY: 'openai-key', SEAL_KEY })
  for (const child of ['node-agent', 'nats-server']) {
    const given = environmentOf(child)
    t.match(given, { LOG_LEVEL: 'warn', PATH: before['PATH'] })
    t.notMatch(JSON.stringify(given), /-key"/)
    t.notOk('SEAL_KEY' in given)
  }
})
