/** The reaction to a failure of the model: another try at once, one later, or the end. */
import { isAgentProvider } from '../../../proto/accounts/credential.ts'
import type { TaskEnd } from '../../../proto/task/task.ts'
import type { TaskContext } from '../state/context.ts'
import type { StepFailure } from '../state/events.ts'
import { taskRunLimits } from '../limits.ts'

export type FailureRemedy =
  | { readonly kind: 'again'; readonly notice?: string }
  | { readonly kind: 'wait'; readonly untilMs: number }
  | { readonly kind: 'end'; readonly end: TaskEnd; readonly error: string }

/** `failures` includes this one. */
export function remedyFor(
  { failures, deadlines, order }: Pick<TaskContext, 'failures' | 'deadlines' | 'order'>,
  failure: StepFailure,
  atMs: number,
): FailureRemedy {
  const times = failures[failure.kind] ?? 1
  const failed: TaskEnd = isAgentProvider(order.provider) ? 'agent_failed' : 'provider_failed'
  const end = (end: TaskEnd): FailureRemedy => ({ kind: 'end', end, error: failure.message })
  switch (failure.kind) {
    case 'rate_limited':
    case 'overloaded':
    case 'network':
    case 'stalled': {
      if (times >= taskRunLimits.modelTries) {
        return {
          kind: 'end',
          end: failed,
          error: `${failure.message} The request was sent ${times} times.`,
        }
      }
      const untilMs = atMs + waitMs(times, failure.retryAfterMs)
      const isTooLate = untilMs >= (deadlines['max'] ?? Infinity)
      const isTooLong = (failure.retryAfterMs ?? 0) > taskRunLimits.modelRetryAfterMaxMs
      return isTooLate || isTooLong ? end(failed) : { kind: 'wait', untilMs }
    }
    case 'context_length':
      return times > taskRunLimits.modelSqueezes ? end('model_unusable') : { kind: 'again' }
    case 'truncated':
    case 'malformed':
    case 'empty':
      return times > taskRunLimits.modelRepairs ? end('model_unusable') : retryNow(failure)
    case 'bad_result':
      return times > taskRunLimits.resultRepairs ? end('bad_result') : retryNow(failure)
    case 'refused':
      return end('model_refused')
    case 'auth':
      return end('provider_auth')
    case 'not_found':
    case 'rejected':
      return end(failed)
    default:
      return failure.kind satisfies never
  }
}

const retryNow = ({ notice }: StepFailure): FailureRemedy => ({
  kind: 'again',
  ...(notice && { notice }),
})

function waitMs(times: number, retryAfterMs = 0): number {
  const doubled = taskRunLimits.modelRetryMs * 2 ** (times - 1)
  return Math.max(retryAfterMs, Math.min(doubled, taskRunLimits.modelRetryMaxMs))
}
