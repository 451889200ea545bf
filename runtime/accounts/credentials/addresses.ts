/** Where the providers' APIs are; absent: each account has its own. From their documentation. */
import type { ApiProvider } from '../../../proto/accounts/credential.ts'

export const providerAddresses = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  gemini: 'https://generativelanguage.googleapis.com/v1beta/openai',
  groq: 'https://api.groq.com/openai/v1',
  xai: 'https://api.x.ai/v1',
  openrouter: 'https://openrouter.ai/api/v1',
  ollama: 'http://localhost:11434/v1',
} as const satisfies Readonly<Partial<Record<ApiProvider, string>>>

const addresses: Readonly<Partial<Record<ApiProvider, string>>> = providerAddresses

/** Undefined if each account has its own. */
export const addressOf = (provider: ApiProvider): string | undefined => addresses[provider]
