/** From what a model has answered to a decision, whatever that answer is. Never throws. Pure. */
import { limits } from '../../../proto/limits.ts'
import { clean, cut } from '../../../runtime/text/clean.ts'
import type { ModelAnswer, ToolCall } from '../model.ts'
import type { Act, Brief, Decision, Fault, Reading, Refusal } from '../thought.ts'
import { actOf, recorded } from './act.ts'
import { argumentsOf, type Arguments } from './arguments.ts'
import { readDone } from './done.ts'
import { askTool, doneName, isOffered, pageTools, rememberTool, toolsFor } from './tools.ts'

type Then = Decision['then']

/** What one call came to. */
type Read =
  | { readonly kind: 'act'; readonly act: Act }
  | { readonly kind: 'fact'; readonly fact: string }
  | { readonly kind: 'then'; readonly then: Then }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'fault'; readonly fault: Fault }

interface Call {
  readonly tool: string
  /** Or why there are none. */
  readonly given: Arguments | string
}

export function readAnswer(answer: ModelAnswer, brief: Brief): Reading {
  const calls = distinct(answer.calls).map(({ name, arguments: text }): Call => {
    return { tool: cut(clean(name), limits.toolNameChars), given: argumentsOf(text) }
  })
  if (calls.length === 0) return faulty(saidNothing(brief))
  const unreadable = calls.every(({ given }) => typeof given === 'string')
  if (unreadable) return faulty(`Your call of ${calls[0]!.tool} was no use: ${calls[0]!.given}.`)
  return decide(calls, brief, noteOf(answer, calls))
}

const faulty = (notice: string): Reading => ({
  kind: 'fault',
  fault: { kind: 'malformed', notice },
})

const saidNothing = (brief: Brief) =>
  'Your answer had no tool call, so nothing was done. Answer with tool calls; when the goal is ' +
  `reached, or cannot be, call ${doneName}. Tools: ` +
  `${toolsFor(brief)
    .map(({ name }) => name)
    .join(', ')}.`

function decide(calls: readonly Call[], brief: Brief, note: string): Reading {
  const acts: Act[] = []
  const facts: string[] = []
  const refused: Refusal[] = []
  let then: Then = { kind: 'go_on' }
  let charsLeft: number = limits.answerActsChars
  for (const [at, call] of calls.entries()) {
    const read = at < limits.answerCalls ? readCall(call, brief) : tooMany
    const refuse = (why: string) => void refused.push(refusalOf(call, why))
    if (read.kind === 'fault') return read
    if (read.kind === 'refused') refuse(read.why)
    else if (read.kind === 'fact') facts.push(read.fact)
    else if (read.kind === 'act') {
      charsLeft -= JSON.stringify(read.act.input).length
      if (charsLeft < 0) refuse('the calls of one answer are too long together; make fewer')
      else acts.push(read.act)
    } else if (at < calls.length - 1) refuse(`${call.tool} must be the last call`)
    else if (refused.length > 0) refuse('a call before it could not be done; see to that first')
    else then = read.then
  }
  return { kind: 'decision', decision: { note, facts, acts, then, refused } }
}

const tooMany: Read = {
  kind: 'refused',
  why: `an answer has ${limits.answerCalls} calls at most`,
}

function readCall({ tool, given }: Call, brief: Brief): Read {
  if (typeof given === 'string') return { kind: 'refused', why: given }
  if (tool === doneName) return readDone(given, brief)
  if (brief.isLast) return { kind: 'refused', why: `only ${doneName} is left` }
  if (tool === rememberTool.name) {
    const fact = textOf(given, 'fact', limits.factChars)
    return fact === '' ? { kind: 'refused', why: 'it needs fact' } : { kind: 'fact', fact }
  }
  if (tool === askTool.name && brief.mayAsk) {
    const question = textOf(given, 'question', limits.questionChars)
    if (question === '') return { kind: 'refused', why: 'it needs question' }
    return { kind: 'then', then: { kind: 'ask', question } }
  }
  const known = pageTools.get(tool)
  if (known === undefined || !isOffered(known, brief)) {
    const names = toolsFor(brief).map(({ name }) => name)
    return { kind: 'refused', why: `there is no such tool; there are ${names.join(', ')}` }
  }
  const act = actOf(known, given, brief.observation.text)
  return typeof act === 'string' ? { kind: 'refused', why: act } : { kind: 'act', act }
}

function textOf(given: Arguments, name: string, chars: number): string {
  const value = given[name]
  return typeof value === 'string' ? cut(clean(value), chars) : ''
}

const refusalOf = ({ tool, given }: Call, why: string): Refusal => ({
  tool,
  given: typeof given === 'string' ? {} : recorded(given),
  why,
})

/** Some providers send a call twice, under one id. */
function distinct(calls: readonly ToolCall[]): readonly ToolCall[] {
  return calls.filter((call, at) => {
    const same = (other: ToolCall) =>
      call.id !== '' &&
      other.id === call.id &&
      other.name === call.name &&
      other.arguments === call.arguments
    return !calls.slice(0, at).some(same)
  })
}

/** Its notes, else what it said beside the calls; never what it thought aloud. */
function noteOf({ text }: ModelAnswer, calls: readonly Call[]): string {
  const notes = calls.flatMap(({ given }) =>
    typeof given === 'string' ? [] : textOf(given, 'note', limits.noteChars),
  )
  const said = [...new Set(notes.filter(Boolean))].join(' ')
  const thought = text.replace(/<think(?:ing)?>.*?(?:<\/think(?:ing)?>|$)/gs, '')
  return cut(said || clean(thought), limits.noteChars)
}
