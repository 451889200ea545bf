// Goal: a model is asked with the available account: a login's token is renewed between two calls,
// a revoked one fails with what to do, and a tenant's URL with an internal address is never
// connected to. Method: the task's own client, a scripted model and an authorization server.
import t, { type Test } from 'tap'
import { ApiModels } from '../../../../../actors/task/models/api-models.ts'
import { openLogins } from '../../../../helpers/accounts/logins.ts'
import { say } from '../../../../helpers/models/answers.ts'
import { question } from '../../../../helpers/models/setup.ts'
import { serveModel } from '../../../../helpers/models/server.ts'

async function open(t: Test) {
  const model = await serveModel(say('yes'))
  t.teardown(() => model.close())
  const opened = await openLogins(t, { server: { baseUrl: model.baseUrl } })
  const models = new ApiModels(opened.accounts)
  return {
    ...{ ...opened, model },
    async ask(provider: string) {
      const account = await models.open({ tenant: 'acme', provider, model: 'scripted' })
      return account.ask(question(), new AbortController().signal)
    },
  }
}

const failure = (kind: string, message: RegExp) => ({ name: 'ModelFailure', kind, message })

t.test('a login’s token is renewed between two calls', async (t) => {
  const { login, server, model, ask, pass } = await open(t)
  await login()
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
  await t.rejects(
    ask('openai'),
    failure('auth', /Log in again.*npm run troupe -- credentials login openai/),
  )
  t.equal(model.exchanges.length, 2)
})

t.test('a tenant’s URL that resolves to an internal address is not called', async (t) => {
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
    { provider: 'compatible', apiKey: 'the-key-of-acme', baseUrl: model.baseUrl },
    'operator',
  )
  t.match(await ask('compatible'), { text: 'yes' })
})
