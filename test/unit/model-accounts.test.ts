// Goal: a model is asked with the account there is: a login's token is renewed between two calls,
// one that was taken back fails with what to do, and a tenant's address that leads inside is never
// connected to. Method: the loop's own client, a scripted model and an authorization server.
import { randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import { ApiModels } from '../../actors/task/models/api-models.ts'
import { systemClock } from '../../runtime/clock.ts'
import { loadConfig } from '../../runtime/config.ts'
import { openCredentials } from '../../runtime/credentials/open.ts'
import { MemoryStore } from '../../runtime/memory-store.ts'
import { openSealer } from '../../runtime/seal.ts'
import { say } from '../helpers/model-answers.ts'
import { question } from '../helpers/model-desk.ts'
import { serveModel } from '../helpers/model-server.ts'
import { OAuthServer } from '../helpers/oauth-server.ts'

async function open(t: Test) {
  const [model, server] = await Promise.all([serveModel(say('yes')), OAuthServer.start()])
  t.teardown(() => Promise.all([model.close(), server.close()]))
  const OAUTH_PROVIDERS = JSON.stringify({
    openai: { issuer: server.url, client_id: 'troupe', base_url: model.baseUrl },
  })
  const SEAL_KEY = randomBytes(32).toString('base64')
  const config = loadConfig({ SEAL_KEY, OAUTH_PROVIDERS })
  let aheadMs = 0
  const clock = { ...systemClock, now: () => Date.now() + aheadMs }
  const store = new MemoryStore()
  const credentials = openCredentials({ store, sealer: openSealer(config), clock, config })
  const models = new ApiModels(credentials.accounts)
  return {
    ...{ ...credentials, model, server },
    pass: (ms: number) => (aheadMs += ms),
    async ask(provider: string) {
      const opened = await models.open({ tenant: 'acme', provider, model: 'scripted' })
      return opened.ask(question(), new AbortController().signal)
    },
  }
}

const failure = (kind: string, message: RegExp) => ({ name: 'ModelFailure', kind, message })

t.test('a login', async (t) => {
  const { logins, server, model, ask, pass } = await open(t)
  const { authorizeUrl = '' } = await logins.begin({
    owner: 'acme',
    by: 'tenant',
    provider: 'openai',
    flow: 'code',
    redirectUri: 'http://127.0.0.1:9/callback',
    options: {},
  })
  const { headers } = await fetch(authorizeUrl, { redirect: 'manual' })
  const { searchParams } = new URL(headers.get('location') ?? '')
  await logins.finish(searchParams.get('state') ?? '', searchParams)

  const tokens = () => server.secrets.filter((secret) => secret.startsWith('access-'))
  t.match(await ask('openai'), { text: 'yes' })
  pass(3_600_000)
  t.match(await ask('openai'), { text: 'yes' })
  const sent = model.exchanges.map(({ request }) => request.headers['authorization'])
  t.same(
    sent,
    tokens().map((token) => `Bearer ${token}`),
    'each call with a token of its time',
  )
  t.equal(tokens().length, 2)

  pass(3_600_000)
  server.revokeAll()
  await t.rejects(ask('openai'), failure('auth', /Log in again.*troupe credentials login openai/))
  t.equal(model.exchanges.length, 2)
})

t.test('an address of a tenant’s that leads inside', async (t) => {
  const { records, model, ask } = await open(t)
  // As if its name had been public when it was set.
  const baseUrl = model.baseUrl.replace('127.0.0.1', 'localhost')
  await records.setKey(
    'acme',
    { provider: 'compatible', apiKey: 'the-key-of-acme', baseUrl },
    'tenant',
  )
  await t.rejects(ask('compatible'), failure('rejected', /private network/))
  t.equal(model.exchanges.length, 0)
  await records.setKey(
    'acme',
    { provider: 'compatible', apiKey: 'the-key-of-acme', baseUrl },
    'operator',
  )
  t.match(await ask('compatible'), { text: 'yes' })
})
