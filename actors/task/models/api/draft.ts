/** The part of an answer received so far, with limits that apply while it grows. */
import { ModelFailure, type ToolCall } from '../model.ts'
import { taskRunLimits } from '../../limits.ts'

/** Usage fields of either API; all are optional. */
export interface RawUsage {
  readonly prompt_tokens?: unknown
  readonly completion_tokens?: unknown
  readonly input_tokens?: unknown
  readonly output_tokens?: unknown
  readonly total_tokens?: unknown
  readonly prompt_tokens_details?: { readonly cached_tokens?: unknown } | null
  readonly input_tokens_details?: { readonly cached_tokens?: unknown } | null
  readonly cost?: unknown
  readonly is_byok?: unknown
  readonly cost_details?: { readonly upstream_inference_cost?: unknown } | null
}

/** A part of a call: the first one has the name, the following ones more of the arguments. */
export interface CallPart {
  /** The number of its call, if the provider sends one. */
  readonly at: number | undefined
  readonly id: string
  readonly name: string
  readonly arguments: string
}

interface DraftCall {
  readonly at: number | undefined
  id: string
  name: string
  arguments: string
}

export class AnswerDraft {
  readonly #calls: DraftCall[] = []
  #text = ''
  #refusal = ''
  #chars = 0
  /** The provider's finish reason; set once the answer has ended. */
  finish: string | undefined
  usage: RawUsage | undefined
  model: string | undefined

  get text(): string {
    return this.#text
  }
  get refusal(): string {
    return this.#refusal
  }
  /** Length of text and arguments. */
  get chars(): number {
    return this.#chars
  }
  get calls(): readonly ToolCall[] {
    return this.#calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args }))
  }

  write(text: string): void {
    this.#count(text)
    this.#text += text
  }

  refuse(text: string): void {
    this.#count(text)
    this.#refusal += text
  }

  call(part: CallPart): void {
    this.#count(part.name + part.arguments)
    const known = this.#startedCall(part)
    if (known === undefined) {
      if (this.#calls.length >= taskRunLimits.modelToolCalls) {
        throw new ModelFailure(
          'malformed',
          `The model called more than ${taskRunLimits.modelToolCalls} tools in one answer.`,
        )
      }
      this.#calls.push({ ...part })
      return
    }
    known.id ||= part.id
    known.name ||= part.name
    known.arguments += part.arguments
  }

  /**
   * The call that this part continues. Some providers give several calls the same number, or none, so
   * a new id begins a new call, and so does a name after complete arguments.
   */
  #startedCall(part: CallPart): DraftCall | undefined {
    const known =
      part.at === undefined
        ? this.#calls.at(-1)
        : this.#calls.findLast((each) => each.at === part.at)
    if (known === undefined) return undefined
    const hasSameId = part.id !== '' && part.id === known.id
    if (!hasSameId && part.id !== '' && known.id !== '') return undefined
    const beginsAgain = part.name !== '' && known.name !== '' && isJson(known.arguments)
    return beginsAgain && !(hasSameId && part.arguments === '') ? undefined : known
  }

  #count(text: string): void {
    this.#chars += text.length
    if (this.#chars <= taskRunLimits.modelAnswerChars) return
    throw new ModelFailure(
      'malformed',
      `The model's answer went beyond ${taskRunLimits.modelAnswerChars} characters and was cut off.`,
    )
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    // Not JSON yet, so the call continues.
    return false
  }
}
