/** Applies the rules of a task to what a model has decided, before the step begins. */
import { gatedActions, type GatedAction, type TaskOrder } from '../../../proto/task/task.ts'
import type { Act, Decision, Observation, RefusedCall } from '../prompting/decision.ts'
import { checkAct, typesSecret, type ActLimits } from './acts.ts'
import { showsField } from './fields.ts'
import { gateOf, type PriorInput } from './gate.ts'

/** The task, as far as its rules depend on it. */
export interface PolicyTask extends PriorInput {
  readonly order: TaskOrder
}

/** Refuses the acts that the rules forbid, and names the class of those that wait for a person. */
export function applyPolicy(task: PolicyTask, page: Observation, decision: Decision): Decision {
  const limits = actLimitsOf(task.order, page)
  // Text typed by this answer counts for its later acts.
  let past: PriorInput = { typed: task.typed, usedSecret: task.usedSecret }
  const acts: Act[] = []
  const refused: RefusedCall[] = [...decision.refused]
  for (const one of decision.acts) {
    const checked = checkAct(one, { ...limits, usedSecret: past.usedSecret })
    if (!checked.ok) {
      refused.push({ tool: one.tool, given: one.given, why: checked.why })
      continue
    }
    const { act } = checked
    const gate = limits.gates.length > 0 ? gateOf(act, page, past) : undefined
    acts.push({ ...act, ...(gate && { gate }) })
    past = priorInputWith(past, act)
  }
  const isWhole = acts.length === decision.acts.length
  return { ...decision, acts, refused, then: isWhole ? decision.then : { kind: 'go_on' } }
}

function actLimitsOf(order: TaskOrder, page: Observation): Omit<ActLimits, 'usedSecret'> {
  const { allowedDomains, allowsPrivateNetwork, scripts } = order
  return {
    ...(allowedDomains && { allowedDomains }),
    allowsPrivateNetwork,
    gates: activeGatesOf(order),
    hasFields: showsField(page.text),
    showsSecret: page.showsSecret,
    ...(scripts && { mayScript: true }),
  }
}

/** Classes of actions that wait for a person; empty if no person can be asked. */
const activeGatesOf = ({ humanIntervention, confirm }: TaskOrder): readonly GatedAction[] =>
  humanIntervention ? gatedActions.filter((one) => confirm.includes(one)) : []

/** Input of the task so far that later acts could carry to another site. */
export const priorInputWith = ({ typed, usedSecret }: PriorInput, act: Act): PriorInput => ({
  typed: typed || act.command === 'type',
  usedSecret: usedSecret || typesSecret(act) || act.command === 'fill_login',
})
