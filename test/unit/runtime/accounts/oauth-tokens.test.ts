// Goal: every caller gets a working token, however many ask at once, and a rotating refresh token
// is neither used twice nor lost. Method: a real authorization server that revokes everything when
// one is used twice; keepers as in several processes on one in-memory store.
import t, { type Test } from 'tap'
import type { OAuthCredential } from '../../../../proto/accounts/credential.ts'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import { StoreUnavailable, type Bucket } from '../../../../runtime/store/store.ts'
import { openLogins } from '../../../helpers/accounts/logins.ts'
import { until } from '../../../helpers/lib/until.ts'
import { accountLimits } from '../../../../runtime/accounts/limits.ts'

const hourMs = 3_600_000

/** A store whose writes can be made to fail, before or after they took effect. */
class ShakyStore extends MemoryStore {
  readonly failures: ('before' | 'after')[] = []

  override bucket(name: string): Bucket {
    const bucket = super.bucket(name)
    const update = async (key: string, value: Uint8Array, revision: number) => {
      const failure = this.failures.shift()
      if (failure === 'before') throw new StoreUnavailable(key)
      const next = await bucket.update(key, value, revision)
      if (failure === 'after') throw new StoreUnavailable(key)
      return next
    }
    return new Proxy(bucket, {
      get: (target, name) => {
        if (name === 'update') return update
        const member: unknown = Reflect.get(target, name)
        return typeof member === 'function' ? member.bind(target) : member
      },
    })
  }
}

/** An account that has just logged in, and ways to ask for its token as other processes would. */
async function account(t: Test) {
  const store = new ShakyStore()
  const { server, records, open, pass, login } = await openLogins(t, { store })
  await login()
  return {
    ...{ server, store, records, pass, login },
    record: async () => (await records.get('acme', 'openai'))!.record as OAuthCredential,
    /** As a process of its own would. */
    async token() {
      const access = await open().accounts.find('acme', 'openai')
      return access!.token()
    },
  }
}

t.test('a token is not renewed until near its end, then before its use', async (t) => {
  const { server, token, pass, record } = await account(t)
  const first = await token()
  pass(hourMs - accountLimits.oauthRenewBeforeMs - 1_000)
  t.equal(await token(), first)
  pass(2_000)
  const second = await token()
  t.not(second, first)
  t.equal(await token(), second)
  t.equal(server.refreshes.length, 1)
  t.match(await record(), { round: 1, renewing: undefined })
})

t.test('a short-lived token is not renewed at each use', async (t) => {
  const { server, token, pass } = await account(t)
  server.tokenSeconds = 60
  pass(hourMs)
  const first = await token()
  pass(40_000)
  t.equal(await token(), first)
  pass(10_000)
  t.not(await token(), first)
})

t.test('twenty simultaneous callers in twenty processes renew once', async (t) => {
  const { server, token, pass } = await account(t)
  for (let round = 1; round <= 5; round++) {
    pass(hourMs)
    const tokens = await Promise.all(Array.from({ length: 20 }, token))
    t.equal(new Set(tokens).size, 1)
    t.equal(server.refreshes.length, round)
  }
  t.equal(new Set(server.refreshes).size, 5, 'no refresh token was used twice')
})

t.test('during a renewal, callers whose token is still valid do not wait', async (t) => {
  const { server, token, pass } = await account(t)
  const first = await token()
  pass(hourMs - 60_000)
  let letGo = () => undefined as void
  server.faults.push((response) => {
    letGo = () => void response.writeHead(503).end()
  })
  const renewing = token()
  await until('the server is asked', () => server.faults.length === 0)
  t.equal(await token(), first)
  letGo()
  t.equal(await renewing, first, 'nor does it fail when the renewal did')
  t.not(await token(), first, 'and the next one tries again')
})

t.test('an unavailable server gives a temporary error, and is asked again later', async (t) => {
  const { server, token, pass } = await account(t)
  pass(hourMs)
  server.faults.push((response) => response.destroy())
  await t.rejects(token(), { name: 'AccessFailure', kind: 'unavailable' })
  t.ok(await token())
})

t.test('a revoked login asks for a new login, without asking the server twice', async (t) => {
  const { server, token, pass, login } = await account(t)
  pass(hourMs)
  server.revokeAll()
  const refusal = {
    name: 'AccessFailure',
    kind: 'auth',
    message: /invalid_grant.*Log in again:.*npm run troupe -- credentials login openai/,
  }
  await t.rejects(token(), refusal)
  await t.rejects(token(), refusal)
  t.equal(server.refreshes.length, 1)
  await login()
  t.ok(await token())
})

t.test('an unknown client is reported as the operator’s to fix', async (t) => {
  const { server, token, pass, record } = await account(t)
  pass(hourMs)
  server.faults.push((response) => {
    response.setHeader('www-authenticate', 'Basic realm="token"')
    response.writeHead(401, { 'content-type': 'application/json' })
    response.end('{"error":"invalid_client"}')
  })
  await t.rejects(token(), { kind: 'auth', message: /OAUTH_PROVIDERS/ })
  t.match(await record(), { renewalError: { text: /OAUTH_PROVIDERS/ }, renewing: undefined })
  t.ok(await token(), 'mended: the login was not given up')
  t.equal((await record()).renewalError, undefined)
})

t.test('a store that fails to save the new token does not lose it', async (t) => {
  const { store, server, token, pass } = await account(t)
  for (const failure of ['before', 'after'] as const) {
    pass(hourMs)
    // The claim is written first.
    store.failures.push(...([undefined, failure, failure] as typeof store.failures))
    const renewed = await token()
    store.failures.length = 0
    t.equal(await token(), renewed)
    pass(hourMs)
    t.ok(await token(), 'the refresh token that came with it works')
  }
  t.equal(new Set(server.refreshes).size, server.refreshes.length)
})

t.test(
  'a claim whose write has an unknown outcome does not block its own writer afterwards',
  async (t) => {
    const { store, server, token, pass } = await account(t)
    pass(hourMs)
    store.failures.push('after')
    t.ok(await token())
    t.equal(server.refreshes.length, 1)
  },
)

t.test('a process that dies while renewing does not block the others for ever', async (t) => {
  const { token, pass, record, records } = await account(t)
  pass(hourMs)
  const { revision } = (await records.get('acme', 'openai'))!
  const untilMs = Date.now() + hourMs + accountLimits.oauthClaimMs
  const claimed = { ...(await record()), renewing: { by: 'dead', untilMs } }
  await records.update('acme', claimed, revision)
  const waiting = token()
  pass(accountLimits.oauthClaimMs + 1)
  t.ok(await waiting)
})

t.test('a login replaced during its renewal stays replaced', async (t) => {
  const { server, token, pass, login, record } = await account(t)
  pass(hourMs)
  let answer = () => undefined as void
  server.faults.push((response) => {
    answer = () => {
      const body = { access_token: 'late', refresh_token: 'late', token_type: 'Bearer' }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
  })
  const renewing = token()
  await until('the server is asked', () => server.faults.length === 0)
  await login()
  const fresh = await token()
  answer()
  t.equal(await renewing, 'late')
  t.equal(await token(), fresh)
  t.match(await record(), { round: 0 })
})
