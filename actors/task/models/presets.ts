/** What is known of each provider. The table of the README is made of it. */
import type { ApiProvider } from '../../../proto/credential.ts'
import { plainQuirks, type Quirks } from './quirks.ts'

export interface Preset {
  /** As its owner writes it. */
  readonly label: string
  /** Absent where everybody has their own. */
  readonly baseUrl?: string
  /** Of a base URL that is given without it. */
  readonly apiPath?: string
  readonly needsKey: boolean
  /** Asked where nobody names one; only names that the provider's own documentation begins with. */
  readonly model?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly quirks: Quirks
}

const openAiQuirks: Quirks = { ...plainQuirks, limitsTokensBy: 'max_completion_tokens' }

/** Of JSON Schema, what Gemini's own form of schemas has no field for. */
const strangeToGemini = ['additionalProperties', 'const', 'examples', 'exclusiveMinimum'].concat([
  'exclusiveMaximum',
  'format',
  'multipleOf',
  'uniqueItems',
])

const geminiSchemas = {
  refusedSchemaWords: [...plainQuirks.refusedSchemaWords, ...strangeToGemini],
  refusesEmptySchemas: true,
}

export const presets: Readonly<Record<ApiProvider, Preset>> = {
  openai: {
    label: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    needsKey: true,
    model: 'gpt-5.5',
    quirks: openAiQuirks,
  },
  anthropic: {
    label: 'Anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    needsKey: true,
    model: 'claude-opus-5-5',
    quirks: plainQuirks,
  },
  gemini: {
    label: 'Gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    needsKey: true,
    model: 'gemini-flash-latest',
    quirks: { ...plainQuirks, ...geminiSchemas },
  },
  groq: {
    label: 'Groq',
    baseUrl: 'https://api.groq.com/openai/v1',
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
    baseUrl: 'https://api.x.ai/v1',
    needsKey: true,
    model: 'grok-4.5',
    quirks: openAiQuirks,
  },
  openrouter: {
    label: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    needsKey: true,
    model: 'openrouter/auto',
    // Shown to the account's owner in the provider's lists of requests.
    headers: { 'x-title': 'Troupe' },
    quirks: { ...plainQuirks, ...geminiSchemas },
  },
  ollama: {
    label: 'Ollama',
    baseUrl: 'http://localhost:11434/v1',
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

/** Where the API is; `undefined` for what is no address of HTTP. */
export function apiAddress(preset: Preset, given: string | undefined): URL | undefined {
  const text = given ?? preset.baseUrl
  if (text === undefined || !URL.canParse(text)) return undefined
  const address = new URL(text)
  if (!/^https?:$/.test(address.protocol) || address.username || address.password) return undefined
  address.hash = ''
  address.pathname = address.pathname.replace(/\/+$/, '')
  // People give `https://name.openai.azure.com` or all of the path, and mean the same place.
  if (preset.apiPath?.startsWith(address.pathname)) address.pathname = preset.apiPath
  return address
}
