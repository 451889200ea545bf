/** Parses the operator's prices of a provider's model: `openai:3/15`. */
import {
  isApiProvider,
  type ApiProvider,
  type ModelPrice,
} from '../../../proto/accounts/credential.ts'

const amount = /^\d{1,6}(?:\.\d{1,6})?$/

/** US dollars; undefined if it is not a valid amount. */
export function readAmount(text: string): number | undefined {
  return amount.test(text) ? Number(text) : undefined
}

/** Undefined if it is not a valid price. */
export function readPrice(text: string): readonly [ApiProvider, ModelPrice] | undefined {
  const [, provider = '', ...amounts] = /^([a-z]+):([^/]*)\/([^/]*)$/.exec(text) ?? []
  const [inputPerMillionUsd, outputPerMillionUsd] = amounts.map(readAmount)
  if (inputPerMillionUsd === undefined || outputPerMillionUsd === undefined) return undefined
  return isApiProvider(provider)
    ? [provider, { inputPerMillionUsd, outputPerMillionUsd }]
    : undefined
}
