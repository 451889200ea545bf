/**
 * A scripted policy in place of a model: deterministic, and it reads only the request, as a model
 * would: the goal, remembered facts, the page as text, the tools. If it solves a task, the prompts
 * and tools suffice for the task; it says nothing about any model's ability.
 */
import { call, callAll, type ModelScript } from './answers.ts'
import { forms } from './policy/forms.ts'
import { first, type Call } from './policy/moves.ts'
import { View } from './policy/view.ts'
import { widgets } from './policy/widgets.ts'

const scripts = [...forms, ...widgets]
const answer = 'I do not know what to do.'
const giveUp: Call = { name: 'done', arguments: { success: false, answer } }

export const policyModel: ModelScript = (request) => {
  const view = new View(request)
  const [, moves = []] = scripts.find(([goal]) => goal.test(view.goal)) ?? []
  const calls = first(moves, view)
  if (view.tools.has('verdict')) return call('verdict', verdictOn(calls))
  return callAll((calls.length > 0 ? calls : [giveUp]).map(withNote))
}

/** Accomplished when the policy, looking at the page again, would report that it is done. */
function verdictOn(calls: readonly Call[]) {
  const accomplished = calls[0]?.name === 'done'
  return { accomplished, missing: accomplished ? '' : 'The page does not say that it is done.' }
}

const withNote = ({ name, arguments: input }: Call): Call => {
  return { name, arguments: { note: `The script says: ${name}.`, ...input } }
}
