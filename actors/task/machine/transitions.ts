/** What a task does next, derived from its state. Pure: the guards of its machine. */
import { isAgentProvider } from '../../../proto/accounts/credential.ts'
import type { TaskEnd } from '../../../proto/task/task.ts'
import { doneWith, nextAct, type TaskContext, type TaskOutcome } from '../state/context.ts'
import { taskRunLimits } from '../limits.ts'

export const isTaskConcluded = ({ outcome }: TaskContext): boolean => outcome !== null

/** True if a person must allow the next act first. */
export function mustConfirm(context: TaskContext): boolean {
  const gate = nextAct(context)?.gate
  const { humanIntervention, confirm } = context.order
  return (
    humanIntervention &&
    gate !== undefined &&
    confirm.includes(gate) &&
    context.step?.isAllowed === false
  )
}

/** True if the claimed result has to be checked; a declared failure is not checked. */
export function mustCheck(context: TaskContext): boolean {
  const { order, checks } = context
  const success = doneWith(context)?.success === true
  return (
    success &&
    order.finalCheck &&
    !isAgentProvider(order.provider) &&
    checks < taskRunLimits.finalChecks
  )
}

/** The end caused by an exhausted budget, checked before the next decision. */
export function budgetOutcome({ order, steps, usage }: TaskContext): TaskOutcome | undefined {
  const over = (end: TaskEnd, error: string): TaskOutcome => ({ end, error })
  if (steps >= order.maxSteps) {
    return over('max_steps', `The task was not done after ${steps} steps, its maximum (max_steps).`)
  }
  const tokens = usage.inputTokens + usage.outputTokens
  if (order.tokensMax !== undefined && tokens >= order.tokensMax) {
    return over('token_budget', `The task used ${tokens} tokens without finishing (max_tokens).`)
  }
  const { costMaxUsd } = order
  if (costMaxUsd === undefined) return undefined
  if (usage.calls > 0 && usage.costUsd === undefined) {
    const how =
      'set a price for the provider (npm run troupe -- credentials, AI_PRICES) or omit ' +
      'max_cost_usd'
    return over(
      'cost_budget',
      `The cost of the task is unknown, so max_cost_usd cannot be enforced; ${how}.`,
    )
  }
  if ((usage.costUsd ?? 0) < costMaxUsd) return undefined
  return over(
    'cost_budget',
    `The task cost ${usage.costUsd?.toFixed(4)} US dollars without finishing (max_cost_usd).`,
  )
}

/**
 * Completed as the model declared. A finding of the last check makes a result without a schema
 * unsuccessful and is added to it.
 */
export function completedOutcome(context: TaskContext, missing = ''): TaskOutcome {
  const { result, success } = doneWith(context)!
  if (missing === '' || !success || context.order.outputSchema) return { end: 'done', result }
  const text = `${String(result['result'] ?? '')} (The final check: ${missing})`
  return { end: 'done', result: { ...result, success: false, result: text } }
}
