/** Chat Completions, the API that every provider supports: the form of requests and answers. */
import type OpenAI from 'openai'
import type { ModelRequest } from '../model.ts'
import type { AnswerDraft, RawUsage } from './draft.ts'
import { noPictureNote, type ProviderQuirks } from '../quirks.ts'
import { ProviderRefused, refusalIn } from '../faults/refusal.ts'
import { parametersOf } from './schemas.ts'

type ChatBody = OpenAI.ChatCompletionCreateParamsNonStreaming

/** Plain text is sent as a string, because some servers do not accept a list of parts. */
function contentOf({ user }: ModelRequest, quirks: ProviderQuirks) {
  const parts = user.map((part): OpenAI.ChatCompletionContentPart => {
    if (part.type === 'text') return part
    if (!quirks.takesPictures) return { type: 'text', text: noPictureNote }
    const { mimeType, base64 } = part.picture
    return { type: 'image_url', image_url: { url: `data:${mimeType};base64,${base64}` } }
  })
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return texts.length === parts.length ? texts.join('\n') : parts
}

function toolsOf(
  { tools }: ModelRequest,
  quirks: ProviderQuirks,
): OpenAI.ChatCompletionFunctionTool[] {
  return tools.map((tool) => {
    const parameters = parametersOf(tool, quirks)
    const { name, description } = tool
    return {
      type: 'function',
      function: { name, description, ...(parameters && { parameters: { ...parameters } }) },
    }
  })
}

/** No sampling options: reasoning models refuse them. Without `tool_choice`, `auto` applies. */
export function chatBody(request: ModelRequest, model: string, quirks: ProviderQuirks): ChatBody {
  const tools = toolsOf(request, quirks)
  return {
    model,
    messages: [
      { role: 'system', content: request.system },
      { role: 'user', content: contentOf(request, quirks) },
    ],
    ...(tools.length > 0 && { tools }),
    ...(quirks.tokenLimitField !== 'nothing' && {
      [quirks.tokenLimitField]: request.outputTokensMax,
    }),
    ...(!quirks.reasoning && { reasoning_effort: 'none' }),
    ...(quirks.streams && quirks.reportsUsage && { stream_options: { include_usage: true } }),
  }
}

/** The form of answers in practice: not all servers follow the API's specification. */
interface LooseCall {
  readonly index?: unknown
  readonly id?: unknown
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | null
}
interface LooseMessage {
  readonly content?: unknown
  readonly refusal?: unknown
  readonly tool_calls?: readonly (LooseCall | null)[] | null
}
interface LooseChoice {
  readonly delta?: LooseMessage | null
  readonly message?: LooseMessage | null
  readonly finish_reason?: unknown
}
export interface LooseCompletion {
  readonly model?: unknown
  readonly choices?: readonly (LooseChoice | null)[] | null
  readonly usage?: RawUsage | null
  /**
   * A stream that began with status 200 reports errors here; some servers do so even without
   * streaming.
   */
  readonly error?: unknown
}

/** Text given as a string or as a list of parts. */
function textIn(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((part: { text?: unknown } | null) => (typeof part?.text === 'string' ? part.text : ''))
    .join('')
}

/** Adds one event of a stream, or a whole answer, to the draft. */
export function readCompletion(completion: LooseCompletion, draft: AnswerDraft): void {
  if (completion.error) throw new ProviderRefused(refusalIn(completion))
  if (typeof completion.model === 'string') draft.model = completion.model
  if (completion.usage) draft.usage = completion.usage
  const choice = completion.choices?.[0]
  const message = choice?.delta ?? choice?.message
  if (message) {
    draft.write(textIn(message.content))
    if (typeof message.refusal === 'string') draft.refuse(message.refusal)
    const isWhole = choice?.message !== undefined
    for (const [i, call] of (message.tool_calls ?? []).entries()) {
      if (call === null) continue
      draft.call({
        // Whole answers, and some streams, do not number calls.
        at: typeof call.index === 'number' ? call.index : isWhole ? i : undefined,
        id: typeof call.id === 'string' ? call.id : '',
        name: typeof call.function?.name === 'string' ? call.function.name : '',
        arguments: argumentsIn(call.function?.arguments),
      })
    }
  }
  if (typeof choice?.finish_reason === 'string') draft.finish = choice.finish_reason
}

/** JSON text, or an object if the server has parsed it already. */
function argumentsIn(given: unknown): string {
  if (typeof given === 'string') return given
  return typeof given === 'object' && given !== null ? JSON.stringify(given) : ''
}
