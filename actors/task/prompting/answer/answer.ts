/** Reads a decision from any answer of a model. Never throws. Pure. */
import { cleanText, truncateText } from '../../../../runtime/lib/text/clean.ts'
import type { ModelAnswer, ToolCall } from '../../models/model.ts'
import type {
  Act,
  PromptBrief,
  Decision,
  AnswerFault,
  ParsedAnswer,
  RefusedCall,
} from '../decision.ts'
import { parseAct, toRecordedInput } from './called-act.ts'
import { parseToolInput, type ToolInput } from './arguments.ts'
import { parseDone } from './task-result.ts'
import { askTool, doneName, isOffered, pageToolsByName, rememberTool, toolsFor } from '../tools.ts'
import { taskRunLimits } from '../../limits.ts'

type Then = Decision['then']

/** The result of reading one call. */
type Read =
  | { readonly kind: 'act'; readonly act: Act }
  | { readonly kind: 'fact'; readonly fact: string }
  | { readonly kind: 'then'; readonly then: Then }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'fault'; readonly fault: AnswerFault }

interface Call {
  readonly tool: string
  /** The arguments, or why there are none. */
  readonly given: ToolInput | string
}

export function parseAnswer(answer: ModelAnswer, brief: PromptBrief): ParsedAnswer {
  const all = distinct(answer.calls.slice(0, taskRunLimits.answerCallsRead))
  const calls = all.slice(0, taskRunLimits.answerCalls).map(callOf)
  if (calls.length === 0) return malformedAnswer(noCallFault(brief))
  const unreadable = calls.every(({ given }) => typeof given === 'string')
  if (unreadable)
    return malformedAnswer(`Your call of ${calls[0]!.tool} was no use: ${calls[0]!.given}.`)
  return toDecision(calls, all.length - calls.length, brief, noteOf(answer, calls))
}

const malformedAnswer = (notice: string): ParsedAnswer => ({
  kind: 'fault',
  fault: { kind: 'malformed', notice },
})

const noCallFault = (brief: PromptBrief) =>
  'Your answer had no tool call, so nothing was done. Answer with tool calls; when the goal is ' +
  `reached, or cannot be, call ${doneName}. Tools: ` +
  `${toolsFor(brief)
    .map(({ name }) => name)
    .join(', ')}.`

function callOf({ name, arguments: text }: ToolCall): Call {
  const said = truncateText(cleanText(name), taskRunLimits.toolNameChars)
  // Some models put a namespace before the name.
  const tool = pageToolsByName.has(said) ? said : said.replace(/^.*(?:\.|:|__)/, '')
  return { tool, given: parseToolInput(text) }
}

/** `beyond`: number of calls above the limit for one answer. */
function toDecision(
  calls: readonly Call[],
  beyond: number,
  brief: PromptBrief,
  note: string,
): ParsedAnswer {
  const acts: Act[] = []
  const facts: string[] = []
  const refused: RefusedCall[] = []
  let then: Then = { kind: 'go_on' }
  let bytesLeft: number = taskRunLimits.answerActsBytes
  const shown = shownIn(brief)
  for (const [at, call] of calls.entries()) {
    const refuse = (why: string) => void refused.push(refusalOf(call, why))
    const read = readCall(call, brief, shown)
    if (read.kind === 'fault') return read
    if (read.kind === 'refused') refuse(read.why)
    else if (read.kind === 'fact') facts.push(read.fact)
    else if (read.kind === 'act') {
      bytesLeft -= Buffer.byteLength(JSON.stringify(read.act.input))
      if (bytesLeft < 0) refuse('the calls of one answer are too long together; make fewer')
      else acts.push(read.act)
    } else if (at + 1 < calls.length + beyond) refuse(`${call.tool} must be the last call`)
    else if (refused.length > 0) refuse('a call before it could not be used; see to that first')
    else then = read.then
  }
  if (beyond > 0) {
    const why = `an answer has ${taskRunLimits.answerCalls} calls at most; ${beyond} more were left out`
    refused.push({ tool: 'calls', given: {}, why })
  }
  return { kind: 'decision', decision: { note, facts, acts, then, refused } }
}

/** The page, and lines that `find` has returned, without the title above them. */
const shownIn = ({ observation, history }: PromptBrief): string => {
  const acts = history.steps.at(-1)?.acts ?? []
  const found = acts.filter((act) => act.startsWith('find '))
  return [observation.text, ...found.map((act) => act.slice(act.indexOf('\n') + 1))].join('\n')
}

function readCall({ tool, given }: Call, brief: PromptBrief, shown: string): Read {
  if (typeof given === 'string') return { kind: 'refused', why: given }
  if (tool === doneName) return parseDone(given, brief)
  if (brief.isLast) return { kind: 'refused', why: `only ${doneName} is left` }
  if (tool === rememberTool.name) {
    const fact = textOf(given, 'fact', taskRunLimits.factChars)
    return fact === '' ? { kind: 'refused', why: 'it needs fact' } : { kind: 'fact', fact }
  }
  if (tool === askTool.name && brief.mayAsk) {
    const question = textOf(given, 'question', taskRunLimits.questionChars)
    if (question === '') return { kind: 'refused', why: 'it needs question' }
    return { kind: 'then', then: { kind: 'ask', question } }
  }
  const known = pageToolsByName.get(tool)
  if (known === undefined || !isOffered(known, brief)) {
    const names = toolsFor(brief).map(({ name }) => name)
    return { kind: 'refused', why: `there is no such tool; there are ${names.join(', ')}` }
  }
  const act = parseAct(known, given, shown)
  return typeof act === 'string' ? { kind: 'refused', why: act } : { kind: 'act', act }
}

function textOf(given: ToolInput, name: string, chars: number): string {
  const value = given[name]
  return typeof value === 'string' ? truncateText(cleanText(value), chars) : ''
}

const refusalOf = ({ tool, given }: Call, why: string): RefusedCall => ({
  tool,
  given: typeof given === 'string' ? {} : toRecordedInput(given),
  why,
})

/** Some providers send a call twice with the same id. */
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

/** Its notes, else the text beside its calls; never its reasoning. */
function noteOf({ text }: ModelAnswer, calls: readonly Call[]): string {
  const notes = calls.flatMap(({ given }) =>
    typeof given === 'string' ? [] : textOf(given, 'note', taskRunLimits.noteChars),
  )
  const said = [...new Set(notes.filter(Boolean))].join(' ')
  const thought = text.replace(/<think(?:ing)?>.*?(?:<\/think(?:ing)?>|$)/gs, '')
  return truncateText(said || cleanText(thought), taskRunLimits.noteChars)
}
