// Goal: everything sealed with an old key is resealed with the new one, once, whatever others write
// meanwhile; and what cannot be resealed is counted and left alone.
import t from 'tap'
import { encode } from '../../../../proto/codec.ts'
import { everyTenant, type OAuthCredential } from '../../../../proto/accounts/credential.ts'
import { buckets } from '../../../../proto/subjects.ts'
import { systemClock } from '../../../../runtime/lib/clock.ts'
import { loadConfig } from '../../../../runtime/config/config.ts'
import { openCredentials } from '../../../../runtime/accounts/credentials/open.ts'
import { resealAccounts, stillUnderOld } from '../../../../runtime/accounts/credentials/reseal.ts'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import { openSealer } from '../../../../runtime/accounts/seal/seal.ts'
import { until } from '../../../helpers/lib/until.ts'

const keyOf = (fill: number) => Buffer.alloc(32, fill).toString('base64')
const [oldKey, newKey, lostKey] = [keyOf(1), keyOf(2), keyOf(3)] as const
const clock = systemClock

/** A host with these keys, on a store that it shares with others. */
function host(store: MemoryStore, ...keys: readonly string[]) {
  const config = loadConfig({ SEAL_KEY: keys.join() })
  const sealer = openSealer(config)
  const credentials = openCredentials({ store, sealer, clock, config })
  const deps = { store, records: credentials.records, sealer, clock }
  const reseal = async () => {
    const done: Record<string, string> = {}
    for await (const { owner, provider, outcome } of resealAccounts(deps)) {
      done[`${owner === everyTenant ? '=' : owner}.${provider}`] = outcome
    }
    return done
  }
  return { ...credentials, sealer, reseal, still: () => stillUnderOld(deps) }
}

const login = (access: string) => {
  const grant = { tokens: { access, refresh: 'r' }, lifeMs: undefined }
  return { login: 'lgn_1', by: 'tenant', options: {}, grant } as const
}

t.test('keys and tokens of every tenant are resealed once', async (t) => {
  const store = new MemoryStore()
  const { setKey, records } = host(store, oldKey)
  await setKey(everyTenant, { provider: 'openai', apiKey: 'of-everybody', model: 'm' }, 'operator')
  await setKey('acme', { provider: 'groq', apiKey: 'of-acme' }, 'tenant')
  await setKey('acme', { provider: 'ollama', baseUrl: 'http://a/v1' }, 'operator')
  await records.setTokens('bolt', 'openai', login('of-bolt'))

  const both = host(store, newKey, oldKey)
  const all = { '=.openai': 'resealed', 'acme.groq': 'resealed', 'bolt.openai': 'resealed' }
  t.same(await both.reseal(), { ...all, 'acme.ollama': 'current' }, 'where there is no secret too')
  t.same(new Set(Object.values(await both.reseal())), new Set(['current']))

  const { accounts } = host(store, newKey)
  const token = async (tenant: string, provider: string) =>
    (await accounts.find(tenant, provider))?.token()
  t.equal(await token('other', 'openai'), 'of-everybody')
  t.equal(await token('acme', 'groq'), 'of-acme')
  t.equal(await token('bolt', 'openai'), 'of-bolt')
  t.match(await accounts.find('other', 'openai'), { model: 'm' })
})

t.test('what another host writes meanwhile is kept', async (t) => {
  const store = new MemoryStore()
  const old = host(store, oldKey, newKey)
  await old.setKey('acme', { provider: 'groq', apiKey: 'first' }, 'tenant')
  await old.setKey('bolt', { provider: 'groq', apiKey: 'first' }, 'tenant')
  const both = host(store, newKey, oldKey)
  const { records } = both
  const update = records.update.bind(records)
  let races = 0
  records.update = async (owner, record, revision) => {
    if (owner === 'bolt') await records.remove('bolt', 'groq')
    else if (++races < 3) {
      await old.setKey('acme', { provider: 'groq', apiKey: `race-${races}` }, 'tenant')
    }
    return update(owner, record, revision)
  }
  t.same(await both.reseal(), { 'acme.groq': 'resealed', 'bolt.groq': 'gone' })
  t.equal(races, 3)
  const { accounts } = host(store, newKey)
  t.equal(await (await accounts.find('acme', 'groq'))?.token(), 'race-2')
  t.equal(await accounts.find('bolt', 'groq'), undefined)
})

t.test('a token that is being renewed is waited for', async (t) => {
  const store = new MemoryStore()
  const old = host(store, oldKey, newKey)
  await old.records.setTokens('acme', 'openai', login('before'))
  const kept = (await old.records.get('acme', 'openai'))!
  const renewing = { by: 'somebody', untilMs: Date.now() + 30_000 }
  const claimed = { ...kept.record, renewing } as OAuthCredential
  const revision = await old.records.update('acme', claimed, kept.revision)
  const both = host(store, newKey, oldKey)
  let looks = 0
  const get = both.records.get.bind(both.records)
  both.records.get = async (...args) => {
    looks++
    return get(...args)
  }
  const done = both.reseal()
  await until('it has looked twice', () => looks > 1)
  const { renewing: _, ...rest } = claimed
  const grant = old.records.sealedGrant('acme', 'openai', login('after').grant)
  await old.records.update('acme', { ...rest, ...grant, round: 1 }, revision)
  t.same(await done, { 'acme.openai': 'resealed' })
  const { accounts } = host(store, newKey)
  t.equal(await (await accounts.find('acme', 'openai'))?.token(), 'after')
})

t.test('an account under a missing key is left alone, and the rest is resealed', async (t) => {
  const store = new MemoryStore()
  await host(store, lostKey).setKey('acme', { provider: 'groq', apiKey: 'lost' }, 'tenant')
  await host(store, oldKey).setKey('acme', { provider: 'xai', apiKey: 'old' }, 'tenant')
  const both = host(store, newKey, oldKey)
  t.same(await both.reseal(), { 'acme.groq': 'shut', 'acme.xai': 'resealed' })
  const { accounts } = host(store, lostKey)
  t.equal(await (await accounts.find('acme', 'groq'))?.token(), 'lost')
})

t.test('logins and tasks in progress keep their key in use until they end', async (t) => {
  const store = new MemoryStore()
  const old = host(store, oldKey)
  const views = store.bucket(buckets.views)
  const task = (id: string, state: string, sealKey?: string) =>
    views.put(`task.acme.${id}`, encode({ n: 1, view: { id, tenant: 'acme', state, sealKey } }))
  const [oldId] = old.sealer.keyIds()
  const both = host(store, newKey, oldKey)
  await task('live', 'deciding', oldId)
  await task('plain', 'deciding')
  await task('new', 'deciding', both.sealer.keyIds()[0])
  await task('over', 'completed', oldId)
  await views.put('session.acme.ses', encode({ n: 1, view: { id: 'ses', tenant: 'acme' } }))
  const order = { owner: 'acme', by: 'tenant', provider: 'openrouter', options: {} } as const
  const redirectUri = 'http://127.0.0.1:9/callback'
  const { record } = await old.logins.begin({ ...order, flow: 'code', redirectUri })
  t.same(await both.still(), { logins: 1, tasks: 1, keyIds: [oldId] })
  t.same(await old.still(), { logins: 0, tasks: 1, keyIds: both.sealer.keyIds().slice(0, 1) })
  const bucket = store.bucket(buckets.logins)
  await bucket.put(record.id, encode({ ...record, state: 'failed' }))
  t.match(await both.still(), { logins: 0, tasks: 1 })
})
