/** Validates a task's result against the output schema of its order. */
import { ServiceError } from '../../../proto/errors.ts'
import type { TaskContext } from '../state/context.ts'
import type { TaskEffectDeps } from '../effects/deps.ts'
import { resultMismatch } from '../prompting/answer/task-result.ts'
import { resultCandidates } from '../prompting/answer/result.ts'
import type { ParsedAnswer } from '../prompting/decision.ts'

export async function validateResult(
  { schemas }: Pick<TaskEffectDeps, 'schemas'>,
  { order: { outputSchema }, tenant }: Pick<TaskContext, 'order' | 'tenant'>,
  reading: ParsedAnswer,
): Promise<ParsedAnswer> {
  if (outputSchema === undefined || reading.kind === 'fault') return reading
  const { decision } = reading
  const { then } = decision
  if (then.kind !== 'done' || !then.success) return reading
  try {
    const fit = await schemas.fit(outputSchema, resultCandidates(then.result, outputSchema), tenant)
    if (!fit.fits) return { kind: 'fault', fault: resultMismatch(fit.faults) }
    return { kind: 'decision', decision: { ...decision, then: { ...then, result: fit.result } } }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    // The validator is busy, so this is retried later and not counted against the model.
    return { kind: 'fault', fault: { kind: 'overloaded', notice: error.message } }
  }
}
