/**
 * A scripted policy in a model's place: deterministic, and it reads the request alone, as a model
 * would: the goal, what was remembered, the page as text, the tools. That it solves a task proves
 * that what is shown and what can be done suffice for it; it says nothing of any model's ability.
 */
import { call, callAll, type ModelScript } from './model-answers.ts'
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

/** What it would be done with, looking at the page anew, is accomplished. */
function verdictOn(calls: readonly Call[]) {
  const accomplished = calls[0]?.name === 'done'
  return { accomplished, missing: accomplished ? '' : 'The page does not say that it is done.' }
}

const withNote = ({ name, arguments: input }: Call): Call => {
  return { name, arguments: { note: `The script says: ${name}.`, ...input } }
}
