/** An answer in the form of the Responses API: as one JSON object, or as events. */
import type { Completion, ScriptedUsage } from './answers.ts'
import type { ChatRequest } from './request.ts'
import { argumentsOf, head, idOf, piecesOf, type Delta } from './wire.ts'

const reasons: Readonly<Record<string, string>> = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
}

function responseOf(answer: Completion, request: ChatRequest, usage: ScriptedUsage): Delta {
  const reason = reasons[answer.finish ?? '']
  return {
    ...head(answer, request, 'response'),
    status: answer.error ? 'failed' : reason === undefined ? 'completed' : 'incomplete',
    incomplete_details: reason === undefined ? null : { reason },
    error: answer.error ?? null,
    output: answer.withoutChoices ? [] : itemsOf(answer, request),
    ...(answer.usage !== 'none' && {
      usage: {
        input_tokens: usage.input,
        input_tokens_details: { cached_tokens: usage.cached ?? 0 },
        output_tokens: usage.output,
        total_tokens: usage.input + usage.output,
      },
    }),
  }
}

function itemsOf(answer: Completion, request: ChatRequest): Delta[] {
  const calls = (answer.calls ?? []).map((each, i) => ({
    type: 'function_call',
    call_id: idOf(each, request.n, i).id ?? '',
    name: each.name,
    arguments: argumentsOf(each),
  }))
  if (!answer.text) return calls
  const content = [{ type: 'output_text', text: answer.text, annotations: [] }]
  return [{ type: 'message', role: 'assistant', content }, ...calls]
}

export const wholeResponseOf = (
  answer: Completion,
  request: ChatRequest,
  usage: ScriptedUsage,
): string => JSON.stringify(responseOf(answer, request, usage))

/** Each item is announced empty, then filled piece by piece. */
export function* responseEventsOf(
  answer: Completion,
  request: ChatRequest,
  usage: ScriptedUsage,
): Generator<Delta> {
  const whole = responseOf(answer, request, usage)
  yield { type: 'response.created', response: { ...whole, status: 'in_progress', output: [] } }
  for (const [output_index, item] of (whole['output'] as Delta[]).entries()) {
    const isCall = item['type'] === 'function_call'
    const empty = isCall ? { ...item, arguments: '' } : { ...item, content: [] }
    yield { type: 'response.output_item.added', output_index, item: empty }
    const type = isCall ? 'response.function_call_arguments.delta' : 'response.output_text.delta'
    const text = isCall ? String(item['arguments']) : (answer.text ?? '')
    for (const delta of piecesOf(text)) yield { type, output_index, delta }
    yield { type: 'response.output_item.done', output_index, item }
  }
  yield { type: `response.${String(whole['status'])}`, response: whole }
}
