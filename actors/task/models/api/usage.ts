/** The cost of an answer, in tokens and in dollars. */
import { defined } from '../../../../proto/defined.ts'
import type { ModelPrice } from '../../../../proto/accounts/credential.ts'
import type { ModelRequest, ModelUsage } from '../model.ts'
import type { AnswerDraft, RawUsage } from './draft.ts'

/** English has 4 bytes per token, Chinese about 3: precise enough for budgets, not for bills. */
const bytesPerToken = 4
/** In the range of what providers count for a screenshot. */
const tokensPerPicture = 1_500

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0

const countIn = (value: unknown): number => (isCount(value) ? Math.round(value) : 0)

interface Tokens {
  readonly inputTokens: number
  readonly cachedTokens: number
  readonly outputTokens: number
}

/** Reasoning tokens that are counted separately are contained only in the total. */
function countTokens(usage: RawUsage | undefined): Tokens | undefined {
  const inputTokens = countIn(usage?.prompt_tokens ?? usage?.input_tokens)
  if (usage === undefined || inputTokens === 0) return undefined
  const reported = countIn(usage.completion_tokens ?? usage.output_tokens)
  const cached = usage.prompt_tokens_details ?? usage.input_tokens_details
  return {
    inputTokens,
    cachedTokens: Math.min(inputTokens, countIn(cached?.cached_tokens)),
    outputTokens: Math.max(reported, countIn(usage.total_tokens) - inputTokens),
  }
}

const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / bytesPerToken)

function estimateTokens(request: ModelRequest, draft: AnswerDraft): Tokens {
  let inputTokens = tokensOf(request.system) + tokensOf(JSON.stringify(request.tools))
  for (const part of request.user) {
    inputTokens += part.type === 'text' ? tokensOf(part.text) : tokensPerPicture
  }
  return { inputTokens, cachedTokens: 0, outputTokens: Math.ceil(draft.chars / bytesPerToken) }
}

/**
 * OpenRouter's charge; with the user's own key it charges a fee, and the model's provider the rest.
 */
function reportedCost(usage: RawUsage | undefined): number | undefined {
  if (!isCount(usage?.cost)) return undefined
  const upstream = usage.cost_details?.upstream_inference_cost
  return usage.is_byok === true && isCount(upstream) ? usage.cost + upstream : usage.cost
}

const perMillion = 1_000_000

/** Cached tokens count at full price: their price is unknown, and a limit must not be exceeded. */
const costAt = (price: ModelPrice, { inputTokens, outputTokens }: Tokens): number =>
  (inputTokens * price.inputPerMillionUsd + outputTokens * price.outputPerMillionUsd) / perMillion

export function usageOf(
  request: ModelRequest,
  draft: AnswerDraft,
  money: { readonly reportsCost: boolean; readonly price: ModelPrice | undefined },
): ModelUsage {
  const reported = countTokens(draft.usage)
  const tokens = reported ?? estimateTokens(request, draft)
  const costUsd =
    (money.reportsCost ? reportedCost(draft.usage) : undefined) ??
    (money.price && costAt(money.price, tokens))
  return {
    ...tokens,
    ...defined({ costUsd }),
    ...(reported === undefined && { estimated: true as const }),
  }
}
