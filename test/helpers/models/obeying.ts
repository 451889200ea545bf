/** Answers of a model that follows a script, with the refs that it is shown. */
import { call, callAll, type ModelScript, type ScriptedAnswer } from './answers.ts'
import type { ChatRequest } from './request.ts'
import { View } from './policy/view.ts'

export type Step = ScriptedAnswer | ModelScript

/** Acts on the first element whose line begins so; there has to be one. */
export const onThing =
  (tool: string, begins: string, more: object = {}): ModelScript =>
  (request) =>
    call(tool, { target: refOf(request, begins), ...more })

export function refOf(request: ChatRequest, begins: string): string {
  const view = new View(request)
  const thing = view.thing(begins)
  if (!thing) throw new Error(`the page has no ${begins}:\n${view.page}`)
  return thing.ref
}

export const clickOn = (begins: string): ModelScript => onThing('click', begins)
export const goTo = (url: string): ScriptedAnswer => call('browser_navigate', { url })
export const finish = (success = true, answer = 'Done.'): ScriptedAnswer => {
  return call('done', { success, answer })
}
export const manyCalls = (count: number, name: string, input: object): ScriptedAnswer =>
  callAll(Array.from({ length: count }, () => ({ name, arguments: { ...input } })))

/** Takes the steps in order, then reports that it has failed; its final check always agrees. */
export function obeying(...steps: readonly Step[]): ModelScript {
  let next = 0
  return (request) => {
    if (request.tools.some(({ name }) => name === 'verdict')) {
      return call('verdict', { accomplished: true, missing: '' })
    }
    const step = steps[next++] ?? finish(false, 'There is nothing left to try.')
    return typeof step === 'function' ? step(request) : step
  }
}
