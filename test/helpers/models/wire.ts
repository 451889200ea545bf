/** An answer in the form of the Chat Completions API: as one JSON object, or as events. */
import type { Completion, ScriptedCall, ScriptedUsage } from './answers.ts'
import type { ChatRequest } from './request.ts'

/** Deltas of a text or of arguments: few enough for 1 MB, more than one for a short text. */
const piecesMax = 64
const pieceChars = 12

const charsPerToken = 4
/** The token count of a picture, whatever its size. */
const pictureTokens = 1_000

const tokensOf = (chars: number) => Math.ceil(chars / charsPerToken)

/** The part of a prompt that equals the previous prompt's beginning would be cached. */
function commonPrefix(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  let i = 0
  while (i < length && a.charCodeAt(i) === b.charCodeAt(i)) i++
  return i
}

/** The order that providers' caches use: the tools first, then the messages. */
const promptOf = (request: ChatRequest): string =>
  JSON.stringify([request.tools, request.body['messages'] ?? request.body['input']])

/** Counts from characters, as an estimate of what providers count. */
export function countUsage(
  request: ChatRequest,
  before: ChatRequest | undefined,
  answer: Completion,
): ScriptedUsage {
  const pictureChars = request.pictures.reduce((sum, picture) => sum + picture.length, 0)
  const prompt = promptOf(request)
  const args = (answer.calls ?? []).map((each) => argumentsOf(each).length + each.name.length)
  return {
    input: tokensOf(prompt.length - pictureChars) + request.pictures.length * pictureTokens,
    cached: before ? Math.floor(commonPrefix(prompt, promptOf(before)) / charsPerToken) : 0,
    output: tokensOf(args.reduce((sum, chars) => sum + chars, answer.text?.length ?? 0)),
  }
}

export const argumentsOf = (each: ScriptedCall): string =>
  typeof each.arguments === 'string' ? each.arguments : JSON.stringify(each.arguments)

function wireUsage(usage: ScriptedUsage) {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached ?? 0 },
    ...(usage.cost === undefined ? {} : { cost: usage.cost }),
  }
}

export const idOf = (each: ScriptedCall, n: number, i: number) =>
  each.id === null ? {} : { id: each.id ?? `call_${n}_${i + 1}` }

const finishOf = (answer: Completion) =>
  answer.finish !== undefined ? answer.finish : answer.calls?.length ? 'tool_calls' : 'stop'

export function head(answer: Completion, request: ChatRequest, object: string) {
  return {
    id: `chatcmpl-${request.n}`,
    object,
    created: Math.floor(Date.now() / 1000),
    model: answer.model ?? request.model,
  }
}

/** The answer to a request without `stream`. */
export function wholeOf(answer: Completion, request: ChatRequest, usage: ScriptedUsage): string {
  const calls = (answer.calls ?? []).map((each, i) => ({
    ...idOf(each, request.n, i),
    type: 'function',
    function: { name: each.name, arguments: argumentsOf(each) },
  }))
  const message = {
    role: 'assistant',
    content: answer.text ?? null,
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  return JSON.stringify({
    ...head(answer, request, 'chat.completion'),
    choices: answer.withoutChoices
      ? []
      : [{ index: 0, message, logprobs: null, finish_reason: finishOf(answer) }],
    ...(answer.usage === 'none' ? {} : { usage: wireUsage(usage) }),
    ...(answer.error && { error: answer.error }),
  })
}

export function* piecesOf(text: string): Generator<string> {
  const size = Math.max(pieceChars, Math.ceil(text.length / piecesMax))
  for (let from = 0; from < text.length; from += size) yield text.slice(from, from + size)
}

export type Delta = Readonly<Record<string, unknown>>

function* deltasOf(answer: Completion, request: ChatRequest): Generator<Delta> {
  yield { role: 'assistant', content: answer.text === undefined ? null : '' }
  for (const content of piecesOf(answer.text ?? '')) yield { content }
  const calls = answer.calls ?? []
  for (const [i, each] of calls.entries()) {
    const args = argumentsOf(each)
    const index = answer.numbering === 'none' ? {} : { index: answer.numbering === 'zero' ? 0 : i }
    const begin = { ...index, ...idOf(each, request.n, i), type: 'function' }
    if (answer.whole) {
      yield { tool_calls: [{ ...begin, function: { name: each.name, arguments: args } }] }
      continue
    }
    yield { tool_calls: [{ ...begin, function: { name: each.name, arguments: '' } }] }
    for (const piece of piecesOf(args)) {
      yield { tool_calls: [{ ...index, function: { arguments: piece } }] }
    }
  }
  const more = {
    tool_calls: [{ index: calls.length - 1, function: { arguments: 'x'.repeat(4096) } }],
  }
  while (answer.endless) yield more
}

/** The events of a streamed answer, without `[DONE]`. */
export function* eventsOf(
  answer: Completion,
  request: ChatRequest,
  usage: ScriptedUsage,
): Generator<Delta> {
  const base = head(answer, request, 'chat.completion.chunk')
  const event = (delta: Delta, finish: string | null = null) => ({
    ...base,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  })
  if (answer.withoutChoices) yield { ...base, choices: [] }
  else {
    for (const delta of deltasOf(answer, request)) yield event(delta)
    if (answer.error) return void (yield { error: answer.error })
    yield event({}, finishOf(answer))
  }
  const options = request.body['stream_options'] as { include_usage?: boolean } | undefined
  if (answer.usage !== 'none' && options?.include_usage === true) {
    yield { ...base, choices: [], usage: wireUsage(usage) }
  }
}
