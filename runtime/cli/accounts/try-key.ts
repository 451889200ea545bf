/** Asks a provider once whether it accepts a key, with a request that costs nothing. */
import type { ApiProvider } from '../../../proto/accounts/credential.ts'
import { cleanText, truncateText } from '../../lib/text/clean.ts'
import { cliLimits } from '../limits.ts'

export type KeyVerdict =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly why: string }
  /** No answer about the key: the account may still be right. */
  | { readonly kind: 'unknown'; readonly why: string }

/** Lists of models are for owners of keys only; OpenRouter's is public, so its key is looked up. */
const pathOf = (provider: ApiProvider) => (provider === 'openrouter' ? '/key' : '/models')

export async function tryKey(
  provider: ApiProvider,
  baseUrl: string,
  apiKey: string,
): Promise<KeyVerdict> {
  const url = baseUrl.replace(/\/+$/, '') + pathOf(provider)
  try {
    const signal = AbortSignal.timeout(cliLimits.keyCheckMs)
    const response = await fetch(url, { headers: headersOf(provider, apiKey), signal })
    const said = `${url} answers ${response.status}${await messageIn(response)}`
    if (response.ok) return { kind: 'accepted' }
    const isRefusal = response.status === 401 || response.status === 403
    return { kind: isRefusal ? 'refused' : 'unknown', why: said }
  } catch (error) {
    const { message, cause } = error as Error
    return { kind: 'unknown', why: `${url}: ${(cause as Error | undefined)?.message ?? message}` }
  }
}

function headersOf(provider: ApiProvider, apiKey: string): Readonly<Record<string, string>> {
  if (apiKey === '') return {}
  const bearer = { authorization: `Bearer ${apiKey}` }
  if (provider === 'anthropic') {
    return { ...bearer, 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }
  }
  return provider === 'azure' ? { 'api-key': apiKey } : bearer
}

const messageChars = 200

/** The provider's own message, if the response is an error in the usual form. */
async function messageIn(response: Response): Promise<string> {
  const body = (await response.json().catch(() => undefined)) as
    { error?: { message?: unknown } } | undefined
  const message = body?.error?.message
  return typeof message === 'string' ? `: ${truncateText(cleanText(message), messageChars)}` : ''
}
