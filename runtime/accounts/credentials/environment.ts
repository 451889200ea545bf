/** Accounts that the operator sets in the environment, for every tenant. */
import { defined } from '../../../proto/defined.ts'
import {
  apiProviders,
  type ApiProvider,
  type ModelPrice,
} from '../../../proto/accounts/credential.ts'
import type { Config } from '../../config/config.ts'
import { readPrice } from './prices.ts'
import type { modelSettings } from './settings.ts'
import type { ModelAccess } from './source.ts'

export type ModelConfig = Pick<Config, keyof typeof modelSettings>

interface Account {
  readonly key: string
  readonly baseUrl?: string
}

export class EnvironmentAccounts {
  readonly #config: ModelConfig
  readonly #accounts: ReadonlyMap<ApiProvider, Account>
  readonly #prices: ReadonlyMap<ApiProvider, ModelPrice>

  constructor(config: ModelConfig) {
    this.#config = config
    const named = apiProviders.map((provider) => [provider, accountOf(provider, config)] as const)
    this.#accounts = new Map(named.filter((entry): entry is [ApiProvider, Account] => !!entry[1]))
    const prices = config.AI_PRICES.map(readPrice)
    this.#prices = new Map(prices.filter((price) => price !== undefined))
  }

  /** AI_PROVIDER; may be an agent. */
  get preferred(): string | undefined {
    return this.#config.AI_PROVIDER || undefined
  }

  has(provider: ApiProvider): boolean {
    return this.#accounts.has(provider)
  }

  find(provider: ApiProvider): ModelAccess | undefined {
    const account = this.#accounts.get(provider)
    if (!account) return undefined
    const { key, baseUrl } = account
    const model = this.modelOf(provider)
    const price = this.priceOf(provider)
    return {
      provider,
      token: async () => key,
      ...defined({ baseUrl, model, price }),
    }
  }

  /** AI_MODEL is a model of AI_PROVIDER only. */
  modelOf(provider: ApiProvider): string | undefined {
    const { AI_PROVIDER, AI_MODEL } = this.#config
    return provider === AI_PROVIDER && AI_MODEL !== '' ? AI_MODEL : undefined
  }

  priceOf(provider: ApiProvider): ModelPrice | undefined {
    return this.#prices.get(provider)
  }
}

function accountOf(provider: ApiProvider, config: ModelConfig): Account | undefined {
  switch (provider) {
    case 'openai':
      return byKey(config.OPENAI_API_KEY)
    case 'anthropic':
      return byKey(config.ANTHROPIC_API_KEY)
    case 'gemini':
      return byKey(config.GEMINI_API_KEY)
    case 'groq':
      return byKey(config.GROQ_API_KEY)
    case 'xai':
      return byKey(config.XAI_API_KEY)
    case 'openrouter':
      return byKey(config.OPENROUTER_API_KEY)
    case 'azure':
      return config.AZURE_OPENAI_API_KEY === ''
        ? undefined
        : byAddress(config.AZURE_OPENAI_ENDPOINT, config.AZURE_OPENAI_API_KEY)
    case 'ollama':
      return byAddress(config.OLLAMA_BASE_URL, '')
    case 'compatible':
      return byAddress(config.COMPATIBLE_BASE_URL, config.COMPATIBLE_API_KEY)
    default:
      return provider satisfies never
  }
}

function byKey(key: string): Account | undefined {
  return key === '' ? undefined : { key }
}

function byAddress(baseUrl: string, key: string): Account | undefined {
  return baseUrl === '' ? undefined : { key, baseUrl }
}
