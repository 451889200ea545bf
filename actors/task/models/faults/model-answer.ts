/** Decides whether a received answer is usable, and if not, why. */
import type { ModelFailureKind } from '../../../../proto/task/model-failure.ts'
import { ModelFailure, type ModelAnswer, type ModelUsage } from '../model.ts'
import type { AnswerDraft } from '../api/draft.ts'
import { errorExcerpt } from './excerpt.ts'
import { lostConnection, type ModelCallTarget } from './failures.ts'
import { taskLimits } from '../../../../proto/task/task-limits.ts'

/** Finish reasons in the words of several providers. */
const endings: readonly { readonly word: RegExp; readonly kind: ModelFailureKind }[] = [
  // Gemini reports `function_call_filter: MALFORMED_FUNCTION_CALL`.
  { word: /malformed|unexpected_tool/i, kind: 'malformed' },
  { word: /filter|safety|refusal|prohibited|recitation|blocklist/i, kind: 'refused' },
  { word: /^(length|max_tokens|max_output_tokens|model_length)$/i, kind: 'truncated' },
  { word: /error/i, kind: 'overloaded' },
]

const endedAs = (finish: string) => endings.find(({ word }) => word.test(finish))?.kind

export function modelAnswerOf(
  draft: AnswerDraft,
  usage: ModelUsage,
  callee: ModelCallTarget,
): ModelAnswer {
  const { calls, finish, text } = draft
  const fail = (kind: ModelFailureKind, message: string) =>
    new ModelFailure(kind, message, { usage })
  if (draft.refusal !== '' && calls.length === 0) {
    const said = errorExcerpt(draft.refusal, callee.key)
    throw fail('refused', `The model "${callee.model}" declined: "${said}".`)
  }
  if (finish === undefined && draft.usage === undefined) {
    if (calls.length === 0 && text === '') throw noAnswer(fail, callee)
    throw lostConnection(undefined, true, callee)
  }
  switch (finish === undefined ? undefined : endedAs(finish)) {
    case 'refused':
      throw fail(
        'refused',
        `The filter of ${callee.label} withheld the model's answer (${finish}). Rephrase the task, or use another ` +
          'model.',
      )
    case 'truncated':
      throw fail(
        'truncated',
        `The answer of the model "${callee.model}" was cut off at its token limit.`,
      )
    case 'malformed':
      throw fail('malformed', `The model "${callee.model}" wrote a tool call that cannot be read.`)
    case 'overloaded':
      throw fail('overloaded', `${callee.label} failed in the middle of the answer.`)
  }
  if (calls.length === 0 && text.trim() === '') throw noAnswer(fail, callee)
  const model = draft.model?.slice(0, taskLimits.modelChars) || callee.model
  return { text, calls, usage, model }
}

type Fail = (kind: ModelFailureKind, message: string) => ModelFailure

const noAnswer = (fail: Fail, { model }: ModelCallTarget) =>
  fail('empty', `The model "${model}" sent an empty answer: no text and no tool call.`)
