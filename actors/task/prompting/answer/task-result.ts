/** Reads the end that a model declares: with the ordered result, or in words. Pure. */
import { limits } from '../../../../proto/limits.ts'
import { cleanLines } from '../../../../runtime/lib/text/clean.ts'
import type { PromptBrief, Decision, AnswerFault } from '../decision.ts'
import { fitValue } from '../../../../proto/json/fit-arguments.ts'
import type { ToolInput } from './arguments.ts'
import { resultOf } from './result.ts'

type Done =
  | { readonly kind: 'then'; readonly then: Decision['then'] }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'fault'; readonly fault: AnswerFault }

/**
 * Without a schema the result is `{success, result: <words>}`. With one it is an object that is
 * validated later; a failed task has no such object and uses the first form.
 */
export function parseDone(given: ToolInput, { outputSchema }: PromptBrief): Done {
  // Without `success`, a model that gives an answer means that it succeeded.
  const success = fitValue(given['success'] ?? true, { type: 'boolean' })
  if (typeof success !== 'boolean') return { kind: 'refused', why: 'success is true or false' }
  if (outputSchema === undefined || !success) return inWords(success, given)
  // Accepted as the result although it is in the wrong field.
  const result = resultOf(given['result'] ?? given['answer'])
  if (result === undefined)
    return { kind: 'fault', fault: resultMismatch(['it must be an object']) }
  return { kind: 'then', then: { kind: 'done', success, result } }
}

function inWords(success: boolean, { answer, result }: ToolInput): Done {
  const said = answer ?? result
  const words = typeof said === 'string' || said === undefined ? said : JSON.stringify(said)
  const text = cleanLines(words ?? '')
  if (text === '') return { kind: 'refused', why: 'it needs answer' }
  if (Buffer.byteLength(text) > limits.taskResultBytes) {
    return { kind: 'refused', why: `answer may have ${limits.taskResultBytes} bytes; be brief` }
  }
  return { kind: 'then', then: { kind: 'done', success, result: { success, result: text } } }
}

export function resultMismatch(faults: readonly string[]): AnswerFault {
  const notice =
    'Your done was not taken, for its result does not fit what was ordered: ' +
    `${faults.join('; ')}. Call done again with a result that does, or with success: false.`
  return { kind: 'bad_result', notice }
}
