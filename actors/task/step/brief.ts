/** The input of the prompt: the current state of a task, for the model. Pure. */
import { utcDay } from '../../../proto/units.ts'
import { defined } from '../../../proto/defined.ts'
import { isAgentProvider } from '../../../proto/accounts/credential.ts'
import { isLastStep, type TaskContext } from '../state/context.ts'
import type { PromptBrief, RemainingBudget, Observation } from '../prompting/decision.ts'

export function briefOf(task: TaskContext, observation: Observation, nowMs: number): PromptBrief {
  const { order, history, notices } = task
  const { url, opensUrl, extendedSystemMessage, allowedDomains, outputSchema } = order
  return {
    goal: order.prompt,
    ...defined({ extra: extendedSystemMessage }),
    ...(url !== undefined && !opensUrl && { startUrl: url }),
    history,
    observation,
    notices,
    secretNames: order.secretNames,
    ...defined({ logins: order.logins }),
    ...(allowedDomains && { allowedDomains }),
    mayAsk: order.humanIntervention,
    mayLook: order.vision !== 'never',
    ...(order.scripts && { mayScript: true }),
    ...(outputSchema && { outputSchema }),
    ...(isAgentProvider(order.provider) && { listsOnce: true }),
    isLast: isLastStep(task),
    budgets: budgetsOf(task, nowMs),
    today: utcDay(nowMs),
  }
}

function budgetsOf(
  { order, steps, usage, deadlines }: TaskContext,
  nowMs: number,
): RemainingBudget[] {
  const { maxSteps, timeoutMs, tokensMax, costMaxUsd } = order
  const tokens = usage.inputTokens + usage.outputTokens
  const budget = (
    of: RemainingBudget['of'],
    whole: number | undefined,
    used: number,
  ): RemainingBudget[] => (whole === undefined ? [] : [{ of, left: whole - used, whole }])
  const leftMs = (deadlines['max'] ?? nowMs) - nowMs
  return [
    ...budget('steps', maxSteps, steps),
    ...budget('seconds', timeoutMs / 1_000, (timeoutMs - leftMs) / 1_000),
    ...budget('tokens', tokensMax, tokens),
    ...budget('US dollars', costMaxUsd, usage.costUsd ?? 0),
  ]
}
