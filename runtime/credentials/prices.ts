/** What the operator says that a provider's model costs: `openai:3/15`. */
import { isApiProvider, type ApiProvider, type ModelPrice } from '../../proto/credential.ts'

const form = /^([a-z]+):(\d{1,6}(?:\.\d{1,6})?)\/(\d{1,6}(?:\.\d{1,6})?)$/

/** Undefined for what is no such thing. */
export function readPrice(text: string): readonly [ApiProvider, ModelPrice] | undefined {
  const [, provider = '', input, output] = form.exec(text) ?? []
  if (!isApiProvider(provider)) return undefined
  return [provider, { inputPerMillionUsd: Number(input), outputPerMillionUsd: Number(output) }]
}
