/** Reads the end that a model declares: with the ordered result, or in words. Pure. */
import { limits } from '../../../proto/limits.ts'
import { cleanLines } from '../../../runtime/text/clean.ts'
import type { Brief, Decision, Fault } from '../thought.ts'
import { fit, type Arguments } from './arguments.ts'
import { resultOf } from './result.ts'

type Done =
  | { readonly kind: 'then'; readonly then: Decision['then'] }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'fault'; readonly fault: Fault }

/**
 * Without a schema the result is `{success, result: <words>}`. With one it is an object that is
 * validated later; a failed task has no such object and uses the first form.
 */
export function readDone(given: Arguments, { outputSchema }: Brief): Done {
  // Without `success`, a model that gives an answer means that it succeeded.
  const success = fit(given['success'] ?? true, { type: 'boolean' })
  if (typeof success !== 'boolean') return { kind: 'refused', why: 'success is true or false' }
  if (outputSchema === undefined || !success) return inWords(success, given)
  // Accepted as the result although it is in the wrong field.
  const result = resultOf(given['result'] ?? given['answer'])
  if (result === undefined) return { kind: 'fault', fault: misfit(['it must be an object']) }
  return { kind: 'then', then: { kind: 'done', success, result } }
}

function inWords(success: boolean, { answer, result }: Arguments): Done {
  const said = answer ?? result
  const words = typeof said === 'string' || said === undefined ? said : JSON.stringify(said)
  const text = cleanLines(words ?? '')
  if (text === '') return { kind: 'refused', why: 'it needs answer' }
  if (Buffer.byteLength(text) > limits.taskResultBytes) {
    return { kind: 'refused', why: `answer may have ${limits.taskResultBytes} bytes; be brief` }
  }
  return { kind: 'then', then: { kind: 'done', success, result: { success, result: text } } }
}

export function misfit(faults: readonly string[]): Fault {
  const notice =
    'Your done was not taken, for its result does not fit what was ordered: ' +
    `${faults.join('; ')}. Call done again with a result that does, or with success: false.`
  return { kind: 'bad_result', notice }
}
