/** Validates the fields of an account before it is stored. No message contains a secret. */
import { defined } from '../../../proto/defined.ts'
import {
  apiProviders,
  isApiProvider,
  type AccountOptions,
  type ApiProvider,
} from '../../../proto/accounts/credential.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { limits } from '../../../proto/limits.ts'
import { leadsToPrivateNetwork } from '../../lib/network/guard/internal-url.ts'
import { taskLimits } from '../../../proto/task/task-limits.ts'

export interface AccountOrder extends AccountOptions {
  readonly provider: ApiProvider
  readonly apiKey?: string
}

export interface OrderRule {
  /** The operator may name any address, a tenant only public ones. */
  readonly mayBePrivate: boolean
  /** True if the configuration has an address for this provider already. */
  readonly hasAddress?: boolean
}

/** Providers that have no fixed address. */
const needsBaseUrl: ReadonlySet<ApiProvider> = new Set(['azure', 'ollama', 'compatible'])
const needsNoKey: ReadonlySet<ApiProvider> = new Set(['ollama', 'compatible'])

/** The path to add to an address without one. */
const usualPath: Partial<Record<ApiProvider, string>> = { azure: '/openai/v1', ollama: '/v1' }

export function providerOf(text: string): ApiProvider {
  if (isApiProvider(text)) return text
  throw refusedError('provider', `must be one of ${apiProviders.join(', ')}`)
}

/** Validates an account with an API key. */
export function checkKeyOrder(order: AccountOrder, rule: OrderRule): AccountOrder {
  const { provider, apiKey } = order
  if (apiKey === undefined && !needsNoKey.has(provider)) throw refusedError('api_key', 'is needed')
  if (apiKey !== undefined) checkKey(apiKey)
  return { ...order, ...checkOptions(provider, order, rule) }
}

/** Validates the fields besides the secret, which keys and logins share. */
export function checkOptions(
  provider: ApiProvider,
  { baseUrl, model, price }: AccountOptions,
  rule: OrderRule,
): AccountOptions {
  if (baseUrl === undefined && needsBaseUrl.has(provider) && !rule.hasAddress) {
    throw refusedError('base_url', `is needed: ${provider} has no address of its own`)
  }
  if (model !== undefined) checkModel(model)
  if (price !== undefined) checkPrice(price.inputPerMillionUsd, price.outputPerMillionUsd)
  return {
    ...(baseUrl !== undefined && { baseUrl: checkBaseUrl(provider, baseUrl, rule) }),
    ...defined({ model, price }),
  }
}

/** The normalised URL: without a trailing slash, and with the provider's usual path. */
export function checkBaseUrl(provider: ApiProvider, text: string, rule: OrderRule): string {
  const url = text.length <= limits.urlBytes && URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw refusedError('base_url', 'must be a URL such as https://models.example.com/v1')
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw refusedError('base_url', 'must have no user, query or fragment in it')
  }
  if (!rule.mayBePrivate && (url.protocol !== 'https:' || leadsToPrivateNetwork(url))) {
    const remedy = 'the operator allows others with ALLOW_PRIVATE_BASE_URLS=1'
    throw refusedError('base_url', `must be https, and public; ${remedy}`)
  }
  const path = url.pathname.replace(/\/+$/, '')
  return `${url.origin}${path === '' ? (usualPath[provider] ?? '') : path}`
}

/** The key is sent in a header unchanged. */
function checkKey(apiKey: string): void {
  if (apiKey.length > limits.apiKeyChars) {
    throw refusedError('api_key', `must have at most ${limits.apiKeyChars} characters`)
  }
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw refusedError('api_key', 'must be printable ASCII without spaces; copy exactly the key')
  }
}

function checkModel(model: string): void {
  if (model.length > taskLimits.modelChars || !/^[\x21-\x7e]+$/.test(model)) {
    throw refusedError(
      'model',
      `must be a name of at most ${taskLimits.modelChars} characters, no spaces`,
    )
  }
}

function checkPrice(...amounts: readonly number[]): void {
  if (amounts.every((amount) => Number.isFinite(amount) && amount >= 0)) return
  throw refusedError('price', 'must be US dollars per million tokens, both in and out')
}

function refusedError(field: string, text: string): ServiceError {
  return new ServiceError('bad_request', `${field} ${text}.`, { field })
}
