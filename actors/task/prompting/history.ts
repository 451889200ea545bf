/**
 * What the prompt contains about earlier steps. The newest step is given in full; older ones become
 * a line or two, and one line each when there are many. So the prompt grows only up to a limit.
 */
import { cleanText, truncateText } from '../../../runtime/lib/text/clean.ts'
import type { StepAction } from '../../../proto/task/task.ts'
import type { Decision, TaskHistory, StepMemory, Observation } from './decision.ts'
import { taskRunLimits } from '../limits.ts'
import { commandLimits } from '../../../proto/commands/limits.ts'

export const emptyHistory: TaskHistory = { facts: [], folded: [], steps: [] }

/** A finished step. */
export interface PastStep {
  readonly n: number
  readonly observation: Pick<Observation, 'url' | 'title'>
  readonly decision: Pick<Decision, 'note' | 'facts'>
  /** Including refused actions. */
  readonly actions: readonly StepAction[]
}

export function rememberStep(history: TaskHistory, step: PastStep): TaskHistory {
  const newest = memoryOf(step)
  const before = history.steps.map(shortenStep)
  const leaving = before.length >= taskRunLimits.stepsRemembered ? before.slice(0, 1) : []
  return {
    facts: factsWith(history.facts, step.decision.facts),
    folded: foldedWithin([...history.folded, ...leaving.map(foldedLine)]),
    steps: [...before.slice(leaving.length), newest],
  }
}

/** Keeps a fact without the model's request: a person's answer, which cannot be read again. */
export const rememberFact = (history: TaskHistory, fact: string): TaskHistory => ({
  ...history,
  facts: factsWith(history.facts, [fact]),
})

/** Without duplicates; the oldest are dropped first. */
function factsWith(known: readonly string[], added: readonly string[]): string[] {
  const facts = added.map((fact) => truncateText(cleanText(fact), taskRunLimits.factChars))
  const others = known.filter((fact) => !facts.includes(fact))
  return newestWithin([...others, ...facts], taskRunLimits.factsChars)
}

/** For the prompt, between marks, because much of it is text of pages. */
export function historyText({ facts, folded, steps }: TaskHistory): string {
  return [
    ...(facts.length > 0 ? ['Kept in sight:', ...facts.map((fact) => `- ${fact}`)] : []),
    ...folded,
    ...steps.flatMap(({ n, page, note, acts }) => [
      `Step ${n} on ${page}${note && `: ${note}`}`,
      ...acts.map((act) => `  ${act.replaceAll('\n', '\n    ')}`),
    ]),
  ].join('\n')
}

function memoryOf({ n, observation, decision, actions }: PastStep): StepMemory {
  let left = taskRunLimits.newestChars
  const acts = actions.flatMap((action) => {
    if (left <= 0) return []
    const text = truncateText(actText(action), left)
    left -= text.length
    return [text]
  })
  return {
    n,
    page: placeOf(observation),
    note: truncateText(cleanText(decision.note), taskRunLimits.noteChars),
    acts,
  }
}

const placeOf = ({ url, title }: Pick<Observation, 'url' | 'title'>): string =>
  truncateText(`${cleanText(url)} "${cleanText(title)}"`, taskRunLimits.memoryPageChars)

/** For these tools, the output is the purpose, so it is kept. */
export const isReading = (tool: string) => tool === 'find' || tool === 'read_text'

/** `click e12 button "Add" → done: + e40 text "1 in the cart"` */
function actText(action: StepAction): string {
  const { tool, outcome, text = '' } = action
  const chars = isReading(tool) ? commandLimits.taskReadChars : taskRunLimits.actTextChars
  return `${actName(action)} → ${outcome}${text && `: ${truncateText(text, chars)}`}`
}

/** The action without its outcome. */
function actName({ tool, input, element }: StepAction): string {
  const { target, ...others } = input
  const aim = element ?? (typeof target === 'string' ? target : '')
  const more = Object.entries(others).map(([name, value]) => `${name}: ${plain(value)}`)
  return [tool, truncateText(cleanText(aim), taskRunLimits.elementChars), ...more]
    .filter(Boolean)
    .join(' ')
}

const plain = (value: unknown) =>
  truncateText(
    cleanText(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')),
    taskRunLimits.actInputChars,
  )

/** Drops the page text of steps that are not the newest. */
function shortenStep({ n, page, note, acts }: StepMemory): StepMemory {
  const lines = acts.map((act) => truncateText(cleanText(act), taskRunLimits.pastActChars))
  return {
    n,
    page: truncateText(page, taskRunLimits.pastPageChars),
    note: truncateText(note, taskRunLimits.pastNoteChars),
    acts: lines.slice(0, taskRunLimits.pastActs),
  }
}

function foldedLine({ n, note, acts }: StepMemory): string {
  const why = truncateText(note, taskRunLimits.foldedNoteChars)
  const done = acts.map((act) => truncateText(act, taskRunLimits.foldedActChars)).join('; ')
  return truncateText(`${n}: ${[why, done].filter(Boolean).join(' | ')}`, taskRunLimits.foldedChars)
}

/** The newest lines stay complete, older ones are cut, and the oldest are only counted. */
function foldedWithin(lines: readonly string[]): string[] {
  const kept: string[] = []
  let left = taskRunLimits.foldedInAllChars
  for (const line of lines.toReversed()) {
    const age = kept.length
    const short =
      age < taskRunLimits.foldedSteps ? line : truncateText(line, taskRunLimits.foldedOldChars)
    if (short.length > left) break
    left -= short.length
    kept.unshift(short)
  }
  return kept
}

function newestWithin(texts: readonly string[], chars: number): string[] {
  let left = chars
  const kept = texts.toReversed().filter((text) => (left -= text.length) >= 0)
  return kept.toReversed()
}
