/** What the operator says that a provider's model costs: `openai:3/15`. */
import { isApiProvider, type ApiProvider, type ModelPrice } from '../../proto/credential.ts'

const amount = /^\d{1,6}(?:\.\d{1,6})?$/

/** US dollars; undefined for what is no such number. */
export function readAmount(text: string): number | undefined {
  return amount.test(text) ? Number(text) : undefined
}

/** Undefined for what is no such thing. */
export function readPrice(text: string): readonly [ApiProvider, ModelPrice] | undefined {
  const [, provider = '', ...amounts] = /^([a-z]+):([^/]*)\/([^/]*)$/.exec(text) ?? []
  const [inputPerMillionUsd, outputPerMillionUsd] = amounts.map(readAmount)
  if (inputPerMillionUsd === undefined || outputPerMillionUsd === undefined) return undefined
  return isApiProvider(provider)
    ? [provider, { inputPerMillionUsd, outputPerMillionUsd }]
    : undefined
}
