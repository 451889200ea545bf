/**
 * Responses, the other API of OpenAI (and Azure): its newer models accept tools only there, unless
 * reasoning is off. Requested without storage on the provider's side.
 */
import type OpenAI from 'openai'
import type { ModelRequest } from '../model.ts'
import type { AnswerDraft, RawUsage } from './draft.ts'
import { noPictureNote, type ProviderQuirks } from '../quirks.ts'
import { ProviderRefused, refusalIn } from '../faults/refusal.ts'
import { parametersOf } from './schemas.ts'

type ResponsesBody = OpenAI.Responses.ResponseCreateParamsNonStreaming

function contentOf(
  { user }: ModelRequest,
  quirks: ProviderQuirks,
): OpenAI.Responses.ResponseInputContent[] {
  return user.map((part) => {
    if (part.type === 'text') return { type: 'input_text', text: part.text }
    if (!quirks.takesPictures) return { type: 'input_text', text: noPictureNote }
    const { mimeType, base64 } = part.picture
    return { type: 'input_image', detail: 'auto', image_url: `data:${mimeType};base64,${base64}` }
  })
}

export function responsesBody(
  request: ModelRequest,
  model: string,
  quirks: ProviderQuirks,
): ResponsesBody {
  const tools = request.tools.map((tool): OpenAI.Responses.FunctionTool => {
    const { name, description } = tool
    const parameters = parametersOf(tool, quirks) ?? null
    return {
      type: 'function',
      name,
      description,
      parameters: parameters && { ...parameters },
      strict: false,
    }
  })
  return {
    model,
    instructions: request.system,
    input: [{ type: 'message', role: 'user', content: contentOf(request, quirks) }],
    ...(tools.length > 0 && { tools }),
    ...(quirks.tokenLimitField !== 'nothing' && { max_output_tokens: request.outputTokensMax }),
    store: false,
  }
}

interface LooseItem {
  readonly type?: unknown
  readonly call_id?: unknown
  readonly name?: unknown
  readonly arguments?: unknown
  readonly content?: readonly ({ readonly text?: unknown; readonly refusal?: unknown } | null)[]
}
interface LooseResponse {
  readonly model?: unknown
  readonly status?: unknown
  readonly incomplete_details?: { readonly reason?: unknown } | null
  readonly error?: unknown
  readonly usage?: RawUsage | null
  readonly output?: readonly (LooseItem | null)[]
}
export interface LooseEvent extends LooseResponse {
  readonly type?: unknown
  readonly delta?: unknown
  readonly output_index?: unknown
  readonly item?: LooseItem | null
  readonly response?: LooseResponse | null
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')
const indexIn = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined

/** Adds one event of a stream, or a whole answer, to the draft. */
export function readResponse(event: LooseEvent, draft: AnswerDraft): void {
  switch (event.type) {
    case 'response.output_text.delta':
      return draft.write(textIn(event.delta))
    case 'response.refusal.delta':
      return draft.refuse(textIn(event.delta))
    case 'response.output_item.added':
      return event.item ? readItem(event.item, indexIn(event.output_index), draft) : undefined
    case 'response.function_call_arguments.delta': {
      const at = indexIn(event.output_index)
      return draft.call({ at, id: '', name: '', arguments: textIn(event.delta) })
    }
    case 'response.completed':
    case 'response.incomplete':
    case 'response.failed':
      return event.response ? readEnd(event.response, draft) : undefined
    case 'error':
      throw new ProviderRefused(refusalIn(event))
    case undefined:
      for (const [at, item] of (event.output ?? []).entries()) if (item) readItem(item, at, draft)
      return readEnd(event, draft)
  }
}

/** A stream announces an item while it is still empty. */
function readItem(item: LooseItem, at: number | undefined, draft: AnswerDraft): void {
  if (item.type === 'function_call') {
    const [id, name, args] = [item.call_id, item.name, item.arguments].map(textIn)
    return draft.call({ at, id: id!, name: name!, arguments: args! })
  }
  for (const part of item.content ?? []) {
    draft.write(textIn(part?.text))
    draft.refuse(textIn(part?.refusal))
  }
}

function readEnd(response: LooseResponse, draft: AnswerDraft): void {
  if (response.error) throw new ProviderRefused(refusalIn(response))
  if (typeof response.model === 'string') draft.model = response.model
  if (response.usage) draft.usage = response.usage
  draft.finish = textIn(response.incomplete_details?.reason) || textIn(response.status)
}
