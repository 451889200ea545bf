// Goal: every possible login ends in an account or with a reason, and none of its steps can be used
// twice. Method: a real authorization server on loopback; the in-memory store; a clock that tests
// advance.
import t, { type Test } from 'tap'
import { everyTenant, type LoginFlow } from '../../../../proto/accounts/credential.ts'
import { buckets } from '../../../../proto/subjects.ts'
import { limits } from '../../../../proto/limits.ts'
import { openLogins, redirectUri, stateOf, visit } from '../../../helpers/accounts/logins.ts'
import { entriesOf } from '../../../../runtime/store/entries-of.ts'
import type { OAuthServerOptions } from '../../../helpers/accounts/oauth-server.ts'

async function begin(t: Test, server: OAuthServerOptions = {}) {
  const opened = await openLogins(t, { server })
  const start = (flow: LoginFlow = 'code', provider: 'openai' | 'openrouter' = 'openai') =>
    opened.begin(flow, provider, { model: 'm-1' })
  return { ...opened, start }
}

t.test('code with PKCE, for a client with a secret: an account with fresh tokens', async (t) => {
  const { server, accounts, logins, records, start } = await begin(t, { clientSecret: 's3' })
  const { record, authorizeUrl = '' } = await start()
  const asked = new URL(authorizeUrl).searchParams
  t.equal(asked.get('code_challenge_method'), 'S256')
  t.equal(asked.get('scope'), 'models')
  t.equal(asked.get('redirect_uri'), redirectUri)
  const back = await visit(authorizeUrl)
  t.match(await logins.finish(stateOf(back), back.searchParams), { state: 'done' })
  t.match(await logins.status('acme', 'openai', record.id), { state: 'done' })
  const access = await accounts.find('acme', 'openai')
  t.match(access, { provider: 'openai', model: 'm-1' })
  t.ok(server.secrets.includes(await access!.token()))
  t.match((await records.get('acme', 'openai'))?.record, { kind: 'oauth', round: 0 })
})

t.test('a login that starts at one gateway is finished at another', async (t) => {
  const { open, start, accounts } = await begin(t)
  const { authorizeUrl = '' } = await start()
  const back = await visit(authorizeUrl)
  t.match(await open().logins.finish(stateOf(back), back.searchParams), { state: 'done' })
  t.ok(await accounts.find('acme', 'openai'))
  t.notOk(await accounts.find('other', 'openai'), 'for nobody else')
})

t.test('a wrong state matches no login, and breaks none', async (t) => {
  const { logins, start } = await begin(t)
  const { record, authorizeUrl = '' } = await start()
  const back = await visit(authorizeUrl)
  const states = ['', 'x', `${record.id}.`, `${record.id}.${'A'.repeat(43)}`]
  for (const state of states) {
    await t.rejects(
      logins.finish(state, back.searchParams),
      { name: 'ServiceError', type: 'not_found' },
      state,
    )
  }
  t.match(await logins.finish(stateOf(back), back.searchParams), { state: 'done' })
})

t.test('an answer is accepted once, also by two gateways at once', async (t) => {
  const { open, start, server } = await begin(t)
  const { authorizeUrl = '' } = await start()
  const back = await visit(authorizeUrl)
  const finish = () => open().logins.finish(stateOf(back), back.searchParams)
  const [one, two] = await Promise.allSettled([finish(), finish()])
  t.same([one.status, two.status].toSorted(), ['fulfilled', 'rejected'])
  await t.rejects(finish(), { type: 'conflict', message: /start a new one/ })
  t.equal(server.requests.filter(({ path }) => path === '/token').length, 1)
})

t.test(
  'a code that was used elsewhere is refused by the server, and so is the login that uses it',
  async (t) => {
    const { logins, start, accounts } = await begin(t)
    const first = await start()
    const back = await visit(first.authorizeUrl!)
    await logins.finish(stateOf(back), back.searchParams)
    const second = await start()
    const other = await visit(second.authorizeUrl!)
    other.searchParams.set('code', back.searchParams.get('code')!)
    const record = await logins.finish(stateOf(other), other.searchParams)
    t.match(record, { state: 'failed', error: /openai said invalid_grant/ })
    t.ok(await accounts.find('acme', 'openai'), 'the account of before is still there')
  },
)

t.test('a declined login stores nothing', async (t) => {
  const { logins, start, server, accounts } = await begin(t)
  server.consent = 'deny'
  const { record, authorizeUrl = '' } = await start()
  const back = await visit(authorizeUrl)
  const failed = { state: 'failed', error: /access_denied/ }
  t.match(await logins.finish(stateOf(back), back.searchParams), failed)
  t.match(await logins.status('acme', 'openai', record.id), failed)
  t.notOk(await accounts.find('acme', 'openai'))
})

t.test('an answer from another issuer is refused', async (t) => {
  const { server, logins, start } = await begin(t)
  const { authorizeUrl = '' } = await start()
  const back = await visit(authorizeUrl)
  back.searchParams.set('iss', 'https://evil.example')
  const record = await logins.finish(stateOf(back), back.searchParams)
  t.equal(record.state, 'failed')
  t.match(record.error, `was asked at the issuer ${server.url}, and https://evil.example`)
})

t.test('another issuer’s metadata is refused before anybody is redirected', async (t) => {
  const { server, start } = await begin(t)
  server.claimedIssuer = 'https://evil.example'
  await t.rejects(start(), {
    type: 'bad_request',
    message: `says that its issuer is https://evil.example, and OAUTH_PROVIDERS says ${server.url}/`,
  })
})

t.test('a login expires', async (t) => {
  const { logins, start, pass } = await begin(t)
  const { record, authorizeUrl = '' } = await start()
  const back = await visit(authorizeUrl)
  pass(limits.loginMs + 1)
  await t.rejects(logins.finish(stateOf(back), back.searchParams), {
    name: 'ServiceError',
    type: 'conflict',
  })
  t.match(await logins.status('acme', 'openai', record.id), { state: 'failed', error: /in time/ })
})

t.test('a tenant cannot see the login of another', async (t) => {
  const { logins, start } = await begin(t)
  const { record } = await start()
  const unknown = { name: 'ServiceError', type: 'not_found' }
  await t.rejects(logins.status('other', 'openai', record.id), unknown)
  await t.rejects(logins.status(everyTenant, 'openai', record.id), unknown)
  await t.rejects(logins.status('acme', 'openrouter', record.id), unknown)
  await t.rejects(logins.status('acme', 'openai', 'lgn_'), unknown)
})

t.test('OpenRouter gives a key for the code, and has no device codes', async (t) => {
  const { server, logins, start, accounts } = await begin(t)
  const { authorizeUrl = '' } = await start('code', 'openrouter')
  const asked = new URL(authorizeUrl).searchParams
  const callback = asked.get('callback_url')!
  t.equal(asked.get('code_challenge_method'), 'S256')
  const back = await visit(authorizeUrl)
  t.equal(back.origin + back.pathname, callback)
  const state = back.pathname.split('/').at(-1)!
  t.match(await logins.finish(state, back.searchParams), { state: 'done' })
  const access = await accounts.find('acme', 'openrouter')
  t.equal(await access!.token(), server.secrets.at(-1))
  await t.rejects(start('device', 'openrouter'), { type: 'bad_request', message: /flow code/ })
})

t.test('a provider without a login says which have one', async (t) => {
  const { logins } = await begin(t)
  const order = { owner: 'acme', by: 'tenant', flow: 'code', redirectUri, options: {} } as const
  const refusal = { type: 'bad_request', message: /only to openrouter, openai/ }
  await t.rejects(logins.begin({ ...order, provider: 'groq' }), refusal)
})

t.test('a device is polled no faster than the server allows, slower when told', async (t) => {
  const { server, logins, start, pass, accounts } = await begin(t)
  const { record } = await start('device')
  t.match(record.device, { userCode: 'WDJB-MJHT', verificationUri: /activate/ })
  server.deviceAnswers.push('authorization_pending', 'slow_down', 'authorization_pending')
  const questions = () => server.requests.filter(({ path }) => path === '/token').length
  const look = () => logins.status('acme', 'openai', record.id)

  t.match(await look(), { state: 'pending' })
  t.equal(questions(), 0, 'not before its first interval')
  pass(5_000)
  await Promise.all([look(), look(), look()])
  t.equal(questions(), 1, 'several who look ask once')
  pass(5_000)
  await look()
  t.equal(questions(), 2)
  pass(5_000)
  await look()
  t.equal(questions(), 2, 'slower after slow_down')
  pass(5_000)
  t.match(await look(), { state: 'pending' })
  t.equal(questions(), 3)
  pass(10_000)
  t.match(await look(), { state: 'done' })
  t.match(await look(), { state: 'done' })
  t.equal(questions(), 4)
  t.ok(server.secrets.includes(await (await accounts.find('acme', 'openai'))!.token()))
})

for (const [answer, error] of [
  ['access_denied', /access_denied/],
  ['expired_token', /expired_token/],
] as const) {
  t.test(`a device that gets ${answer} has failed`, async (t) => {
    const { server, logins, start, pass } = await begin(t)
    const { record } = await start('device')
    server.deviceAnswers.push(answer)
    pass(5_000)
    t.match(await logins.status('acme', 'openai', record.id), { state: 'failed', error })
  })
}

t.test('a device whose code has expired is not polled any more', async (t) => {
  const { server, logins, start, pass } = await begin(t)
  const { record } = await start('device')
  pass(600_001)
  t.match(await logins.status('acme', 'openai', record.id), { state: 'failed' })
  t.notOk(server.requests.some(({ path }) => path === '/token'))
})

t.test('a server that fails is asked again', async (t) => {
  const { server, logins, start, pass } = await begin(t)
  const { record } = await start('device')
  server.faults.push(
    (response) => response.destroy(),
    (response) => response.writeHead(503).end('<html>'),
  )
  for (let i = 0; i < 2; i++) {
    pass(5_000)
    t.match(await logins.status('acme', 'openai', record.id), { state: 'pending' })
  }
  pass(5_000)
  t.match(await logins.status('acme', 'openai', record.id), { state: 'done' })
})

t.test('the stored state reveals no secret', async (t) => {
  const { server, store, logins, start, pass, accounts, records } = await begin(t)
  const { authorizeUrl = '' } = await start()
  const back = await visit(authorizeUrl)
  await logins.finish(stateOf(back), back.searchParams)
  const device = await start('device')
  pass(5_000)
  await logins.status('acme', 'openai', device.record.id)
  const router = await visit((await start('code', 'openrouter')).authorizeUrl!)
  await logins.finish(router.pathname.split('/').at(-1)!, router.searchParams)
  const order = { provider: 'groq', apiKey: 'gsk_averysecretkey0001' } as const
  await records.setKey('acme', order, 'tenant')
  t.equal(await (await accounts.find('acme', 'groq'))!.token(), order.apiKey)

  const bytes: string[] = []
  for (const name of [buckets.credentials, buckets.logins]) {
    for (const { value } of await entriesOf(store.bucket(name))) {
      bytes.push(Buffer.from(value).toString('latin1'))
    }
  }
  const secrets = [...server.secrets, order.apiKey, stateOf(back)]
  t.ok(bytes.length >= 6 && secrets.length >= 8)
  for (const secret of secrets) {
    t.notOk(
      bytes.some((text) => text.includes(secret)),
      secret.slice(0, 8),
    )
  }
})
