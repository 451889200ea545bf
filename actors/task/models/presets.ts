/** Built-in knowledge about each provider. The README's table is generated from it. */
import type { ApiProvider } from '../../../proto/accounts/credential.ts'
import { providerAddresses } from '../../../runtime/accounts/credentials/addresses.ts'
import { plainQuirks, type ProviderQuirks } from './quirks.ts'

export interface ProviderPreset {
  /** The name as its owner writes it. */
  readonly label: string
  /** Absent if every account has its own. */
  readonly baseUrl?: string
  /** Appended to a base URL that is given without it. */
  readonly apiPath?: string
  readonly needsKey: boolean
  /** Used if no model is named; only models that the provider's own documentation starts with. */
  readonly model?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly quirks: ProviderQuirks
}

const openAiQuirks: ProviderQuirks = { ...plainQuirks, tokenLimitField: 'max_completion_tokens' }

/** JSON Schema keywords without a counterpart in Gemini's schema format. */
const unsupportedByGemini = [
  'additionalProperties',
  'const',
  'examples',
  'exclusiveMinimum',
].concat(['exclusiveMaximum', 'format', 'multipleOf', 'uniqueItems'])

const geminiSchemas = {
  unsupportedKeywords: [...plainQuirks.unsupportedKeywords, ...unsupportedByGemini],
  refusesEmptySchemas: true,
}

export const providerPresets: Readonly<Record<ApiProvider, ProviderPreset>> = {
  openai: {
    label: 'OpenAI',
    baseUrl: providerAddresses.openai,
    needsKey: true,
    model: 'gpt-5.5',
    quirks: openAiQuirks,
  },
  anthropic: {
    label: 'Anthropic',
    baseUrl: providerAddresses.anthropic,
    needsKey: true,
    model: 'claude-opus-5-5',
    quirks: plainQuirks,
  },
  gemini: {
    label: 'Gemini',
    baseUrl: providerAddresses.gemini,
    needsKey: true,
    model: 'gemini-flash-latest',
    quirks: { ...plainQuirks, ...geminiSchemas },
  },
  groq: {
    label: 'Groq',
    baseUrl: providerAddresses.groq,
    needsKey: true,
    model: 'openai/gpt-oss-120b',
    quirks: openAiQuirks,
  },
  azure: {
    label: 'Azure OpenAI',
    apiPath: '/openai/v1',
    needsKey: true,
    quirks: openAiQuirks,
  },
  xai: {
    label: 'xAI',
    baseUrl: providerAddresses.xai,
    needsKey: true,
    model: 'grok-4.5',
    quirks: openAiQuirks,
  },
  openrouter: {
    label: 'OpenRouter',
    baseUrl: providerAddresses.openrouter,
    needsKey: true,
    model: 'openrouter/auto',
    // Shown to the account's owner in the provider's request log.
    headers: { 'x-title': 'Troupe' },
    quirks: { ...plainQuirks, ...geminiSchemas },
  },
  ollama: {
    label: 'Ollama',
    baseUrl: providerAddresses.ollama,
    apiPath: '/v1',
    needsKey: false,
    quirks: plainQuirks,
  },
  compatible: {
    label: 'the compatible server',
    needsKey: false,
    quirks: { ...plainQuirks, ...geminiSchemas },
  },
}

/** The URL of the API; `undefined` if it is not an HTTP URL. */
export function apiAddress(preset: ProviderPreset, given: string | undefined): URL | undefined {
  const text = given ?? preset.baseUrl
  if (text === undefined || !URL.canParse(text)) return undefined
  const address = new URL(text)
  if (!/^https?:$/.test(address.protocol) || address.username || address.password) return undefined
  address.hash = ''
  address.pathname = address.pathname.replace(/\/+$/, '')
  // `https://name.openai.azure.com` and URLs with a part of the path mean the same.
  if (preset.apiPath?.startsWith(address.pathname)) address.pathname = preset.apiPath
  return address
}
