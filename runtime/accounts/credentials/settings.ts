/** Settings for the operator's accounts with model providers. */
import { isApiProvider, type ApiProvider } from '../../../proto/accounts/credential.ts'
import {
  ConfigError,
  flagSetting,
  listSetting,
  secretSetting,
  textSetting,
  type Setting,
} from '../../config/setting.ts'
import { readProviders, type OAuthProviders } from '../oauth/providers.ts'
import { checkBaseUrl } from './order.ts'
import { readPrice } from './prices.ts'

export const modelSettings = {
  AI_PROVIDER: provider('Provider for tasks that name none: openai, … or acp:<agent>.'),
  AI_MODEL: textSetting('', 'Model of AI_PROVIDER for tasks that name none.'),
  AI_PRICES: listSetting(
    [],
    'Prices of models, for max_cost_usd, if an account has none: openai:3/15,groq:0.1/0.5 are US dollars per million tokens in/out.',
    {
      fits: (item) => readPrice(item) !== undefined,
      expected: 'use provider:in/out, as in openai:3/15,groq:0.1/0.5',
    },
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
    'Anything else with OpenAI’s API, such as https://…/v1.',
  ),
  COMPATIBLE_API_KEY: secretSetting('Its key, if it needs one.'),
  OAUTH_PROVIDERS: oauthProviders('Login settings of providers, in JSON: see runtime/README.md.'),
  ALLOW_PRIVATE_BASE_URLS: flagSetting(
    false,
    'Let tenants use model servers in private networks or without TLS.',
  ),
} as const

function provider(help: string): Setting<string> {
  return {
    fallback: '',
    help,
    parse(value, name) {
      if (isApiProvider(value) || /^acp:[a-z0-9-]+$/.test(value)) return value
      throw new ConfigError(name, value, 'use openai, anthropic, … or acp:<agent>')
    },
  }
}

/** A URL with a password is refused, and not shown. */
function baseUrl(provider: ApiProvider, help: string): Setting<string> {
  return {
    fallback: '',
    help,
    parse(value, name) {
      try {
        return checkBaseUrl(provider, value, { mayBePrivate: true })
      } catch (cause) {
        const expected = 'use a URL such as https://models.example.com/v1, without a password'
        throw new ConfigError(name, '…', expected, cause)
      }
    },
  }
}

function oauthProviders(help: string): Setting<OAuthProviders> {
  return {
    fallback: readProviders({}),
    shown: '',
    help,
    secret: true,
    parse(value, name) {
      try {
        return readProviders(JSON.parse(value))
      } catch (error) {
        // The parser's own message is not shown, because it quotes the input.
        const what = error instanceof SyntaxError ? 'it is not JSON' : (error as Error).message
        throw new ConfigError(name, '…', what)
      }
    },
  }
}
