// Goal: a real model works as the scripted ones do. Method: with TROUPE_LIVE_PROVIDER set to a
// provider, and its account in the environment as the service takes it (OPENAI_API_KEY, AI_MODEL
// …), it is asked to call a tool, with and without a picture. It costs a few hundred tokens.
import t from 'tap'
import { ApiModels } from '../../../actors/task/models/api-models.ts'
import { isApiProvider } from '../../../proto/accounts/credential.ts'
import { loadConfig } from '../../../runtime/config/config.ts'
import { EnvironmentAccounts } from '../../../runtime/accounts/credentials/environment.ts'
import type { AccessSource } from '../../../runtime/accounts/credentials/source.ts'
import { onePixel, question } from '../../helpers/models/setup.ts'

const provider = process.env['TROUPE_LIVE_PROVIDER'] ?? ''
const live = isApiProvider(provider)
  ? {}
  : { skip: 'set TROUPE_LIVE_PROVIDER and its key to ask a real model' }

const source = (): AccessSource => {
  const environment = new EnvironmentAccounts(loadConfig({ ...process.env, AI_PROVIDER: provider }))
  return {
    find: async (_tenant, name) => (isApiProvider(name) ? environment.find(name) : undefined),
    fallback: async () => provider,
  }
}

const capital = {
  name: 'capital',
  description: 'Tells the capital of a country.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string', description: 'Its name in English.' } },
    required: ['city'],
  },
}
const system = 'Answer with a call of the tool, and with nothing else.'
const text = { type: 'text', text: 'What is the capital of France?' } as const
const picture = { type: 'picture', picture: { mimeType: 'image/png', base64: onePixel } } as const

t.test('it calls a tool and reports what that has cost', live, async (t) => {
  const model = await new ApiModels(source()).open({ tenant: 'live', provider })
  for (const user of [[text], [text, picture]]) {
    const asked = question({ system, user, tools: [capital], outputTokensMax: 4_000 })
    const answer = await model.ask(asked, AbortSignal.timeout(100_000))
    t.equal(answer.calls[0]?.name, 'capital')
    t.match(JSON.parse(answer.calls[0]?.arguments ?? '{}'), { city: 'Paris' })
    t.ok(answer.usage.inputTokens > 0 && answer.usage.outputTokens > 0)
    t.comment(`${answer.model}: ${JSON.stringify(answer.usage)}`)
  }
})
