/**
 * Why a model gave no answer that could be used. `rate_limited`, `overloaded`, `network`,
 * `stalled`: retry, after `retryAfterMs` if the provider states it. `context_length`: retry with a
 * shorter prompt. `truncated`, `malformed`, `empty`: the answer was unusable, a retry may help.
 * `refused`: by the provider's filter. `auth`, `not_found`, `rejected`: only a change of
 * configuration helps.
 */
export const modelFailureKinds = [
  'rate_limited',
  'overloaded',
  'network',
  'stalled',
  'context_length',
  'truncated',
  'malformed',
  'empty',
  'refused',
  'auth',
  'not_found',
  'rejected',
] as const
export type ModelFailureKind = (typeof modelFailureKinds)[number]
