/** Settings for the operator's accounts with model providers. */
import { z } from 'zod'
import { isApiProvider, type ApiProvider } from '../../../proto/accounts/credential.ts'
import { secretSetting, setting } from '../../config/setting.ts'
import { anyText, flagText, listText, textThat } from '../../config/value-texts.ts'
import { jsonText } from '../../lib/schemas/json-text.ts'
import { builtInProviders, oauthProviders } from '../oauth/providers.ts'
import { checkBaseUrl } from './order.ts'
import { readPrice } from './prices.ts'

export const modelSettings = {
  AI_PROVIDER: setting(
    textThat(
      (name) => isApiProvider(name) || /^acp:[a-z0-9-]+$/.test(name),
      'use openai, anthropic, … or acp:<agent>',
    ),
    '',
    'Provider for tasks that name none: openai, … or acp:<agent>.',
  ),
  AI_MODEL: setting(anyText, '', 'Model of AI_PROVIDER for tasks that name none.'),
  AI_PRICES: setting(
    listText(
      textThat(
        (item) => readPrice(item) !== undefined,
        'use provider:in/out, as in openai:3/15,groq:0.1/0.5',
      ),
    ),
    [],
    'Prices of models in US dollars per million tokens, in/out, for accounts without prices: openai:3/15,groq:0.1/0.5. max_cost_usd needs them.',
  ),
  OPENAI_API_KEY: secretSetting(
    'API key for OpenAI. This and the accounts below are for tenants without their own.',
  ),
  ANTHROPIC_API_KEY: secretSetting('API key for Anthropic.'),
  GEMINI_API_KEY: secretSetting('API key for Google Gemini.'),
  GROQ_API_KEY: secretSetting('API key for Groq.'),
  AZURE_OPENAI_API_KEY: secretSetting('API key for Azure OpenAI.'),
  AZURE_OPENAI_ENDPOINT: baseUrl(
    'azure',
    'Your resource at Azure OpenAI: https://….openai.azure.com.',
  ),
  XAI_API_KEY: secretSetting('API key for xAI.'),
  OPENROUTER_API_KEY: secretSetting('API key for OpenRouter.'),
  OLLAMA_BASE_URL: baseUrl(
    'ollama',
    'Address of an Ollama server, such as http://localhost:11434.',
  ),
  COMPATIBLE_BASE_URL: baseUrl(
    'compatible',
    'Address of any other server with OpenAI’s API, such as https://…/v1.',
  ),
  COMPATIBLE_API_KEY: secretSetting('API key for COMPATIBLE_BASE_URL, if it needs one.'),
  OAUTH_PROVIDERS: setting(
    jsonText(oauthProviders, '{"azure":{"issuer":"https://…","client_id":"…"}}'),
    builtInProviders,
    'Login (OAuth) settings of providers, in JSON: see runtime/README.md.',
    { shown: '', secret: 'always' },
  ),
  ALLOW_PRIVATE_BASE_URLS: setting(
    flagText,
    false,
    'Let tenants use model servers in private networks or without TLS.',
  ),
} as const

/** A URL with a password is refused. */
function baseUrl(provider: ApiProvider, help: string) {
  const schema = z.string().transform((text, context) => {
    try {
      return checkBaseUrl(provider, text, { mayBePrivate: true })
    } catch {
      // The same advice applies to all reasons.
      context.addIssue('use a URL such as https://models.example.com/v1, without a password')
      return z.NEVER
    }
  })
  return setting(schema, '', help, { secret: 'if-invalid' })
}
