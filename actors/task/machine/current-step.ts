/** A step, from the decision to the record of its execution. Pure. */
import { defined } from '../../../proto/defined.ts'
import {
  taskStatusOf,
  taskWaitRecord,
  type StateRecord,
  type StepAction,
  type StepRecord,
  type TaskState,
  type TaskUsage,
} from '../../../proto/task/task.ts'
import { nextAct, waitIn, type CurrentStep, type TaskContext } from '../state/context.ts'
import type { ActedEvent, DecidedEvent } from '../state/events.ts'
import { detectLoop } from '../prompting/answer/loop-detection.ts'
import { rememberStep } from '../prompting/history.ts'
import { askTool, doneName, rememberTool } from '../prompting/tools.ts'
import type { ModelUsage } from '../models/model.ts'
import { priorInputWith } from '../safety/policy.ts'
import { toActionRecord, type Act } from '../prompting/decision.ts'
import { taskRunLimits } from '../limits.ts'

type Change = Partial<TaskContext>
type ActResult = Pick<ActedEvent, 'action' | 'movedPage'>

/** The decision becomes step `steps + 1`. */
export function startStep(context: TaskContext, event: DecidedEvent): Change {
  const { decision, model, usage, ms } = event
  const n = context.steps + 1
  const { inputTokens: input, cachedTokens: cached, outputTokens: output, costUsd } = usage
  const step: CurrentStep = {
    n,
    page: context.page!,
    decision,
    actions: [],
    isAllowed: false,
    model,
    tokens: { input, cached, output },
    ...defined({ costUsd }),
    decideMs: ms,
  }
  const lens = event.lens ?? null
  return {
    step,
    steps: n,
    model,
    usage: addUsage(context.usage, usage),
    notices: [],
    failures: {},
    wantsPicture: false,
    lens,
  }
}

export function addUsage(sum: TaskUsage, one: ModelUsage): TaskUsage {
  const costUsd = costOf(sum, one)
  return {
    calls: sum.calls + 1,
    inputTokens: sum.inputTokens + one.inputTokens,
    cachedTokens: sum.cachedTokens + one.cachedTokens,
    outputTokens: sum.outputTokens + one.outputTokens,
    ...defined({ costUsd }),
    ...((sum.estimated || one.estimated) && { estimated: true }),
  }
}

/**
 * Unknown if the cost of a part is; but a model that only estimates tokens may report its total
 * cost later.
 */
function costOf(sum: TaskUsage, one: ModelUsage): number | undefined {
  if (one.costUsd === undefined) return one.estimated ? sum.costUsd : undefined
  const before = sum.costUsd ?? (sum.calls === 0 || sum.estimated ? 0 : undefined)
  return before === undefined ? undefined : before + one.costUsd
}

/** Stores the outcome of the next act; later acts are dropped if the page has changed. */
export function recordAct(context: TaskContext, { action, movedPage }: ActResult): Change {
  const step = context.step!
  const act = nextAct(context)!
  const actions = [...step.actions, truncateToStep(action, step.actions)]
  const stops = movedPage || action.outcome !== 'done' || context.wantsPause
  const rest = stops ? step.decision.acts.slice(actions.length).map(toDroppedAction) : []
  return {
    step: { ...step, actions: [...actions, ...rest], isAllowed: false },
    wantsPicture: context.wantsPicture || act.command === 'screenshot',
    ...priorInputWith(context, act),
  }
}

/** Earlier texts leave less room for later ones. */
function truncateToStep(action: StepAction, before: readonly StepAction[]): StepAction {
  const bytes = (text = '') => Buffer.byteLength(text)
  const left = taskRunLimits.stepTextBytes - before.reduce((sum, { text }) => sum + bytes(text), 0)
  if (bytes(action.text) <= left) return action
  const { text, ...rest } = action
  return left <= 0 ? rest : { ...rest, text: Buffer.from(text!).subarray(0, left).toString() }
}

/** Drops pending acts; the running one becomes `unknown`. */
export function abandonStep(context: TaskContext): Change {
  const { step, question } = context
  const act = nextAct(context)
  if (!step || !act) return { question: null }
  const first: StepAction = question
    ? toDroppedAction(act)
    : {
        ...toActionRecord(act),
        outcome: 'unknown',
        text: 'It had started when the task was stopped.',
      }
  const { step: stopped } = recordAct(context, { action: first, movedPage: true })
  return { question: null, ...(stopped && { step: stopped }) }
}

const toDroppedAction = (act: Act): StepAction => ({ ...toActionRecord(act), outcome: 'dropped' })

/** All actions of a step's record: its acts and the refused calls. */
function actionsOf({ actions, decision }: CurrentStep): readonly StepAction[] {
  const refused = decision.refused.map(({ tool, given, why }): StepAction => {
    return { tool, input: given, outcome: 'refused', text: why, ms: 0 }
  })
  return [...actions, ...refused]
}

/** Adds the step to the history and runs loop detection. */
export function finishStep(context: TaskContext): Change {
  const step = context.step!
  const { n, page, decision } = step
  const actions = actionsOf(step)
  const hasFacts = decision.facts.length > 0
  const { trail, nudge, end } = detectLoop(context.trail, { page, actions, remembered: hasFacts })
  const allDone = step.actions.every(({ outcome }) => outcome === 'done')
  return {
    step: null,
    then: allDone ? decision.then : { kind: 'go_on' },
    history: rememberStep(context.history, { n, observation: page, decision, actions }),
    trail,
    notices: nudge ? [...context.notices, nudge] : context.notices,
    ...(end && !context.outcome && decision.then.kind !== 'done' && { outcome: end }),
  }
}

/** The parts of a decision that are not acts on the page: facts, a question, the end. */
function spokenActionsOf({
  actions,
  decision: { facts, then },
}: CurrentStep): readonly StepAction[] {
  const outcome = actions.every((action) => action.outcome === 'done') ? 'done' : 'dropped'
  const noted = facts.map((fact): StepAction => {
    return { tool: rememberTool.name, input: { fact }, outcome: 'done', ms: 0 }
  })
  if (then.kind === 'go_on') return noted
  const { kind, ...input } = then
  return [...noted, { tool: kind === 'ask' ? askTool.name : doneName, input, outcome, ms: 0 }]
}

export function stepRecord(context: TaskContext, atMs: number): StepRecord {
  const step = context.step!
  const { n, page, decision, model, tokens, costUsd, decideMs } = step
  const actions = actionsOf(step)
  return {
    type: 'step',
    task_id: context.id,
    session_id: context.sessionId,
    n,
    at: new Date(atMs).toISOString(),
    page: { url: page.url, title: page.title },
    reason: decision.note,
    actions: [...actions.map(truncateForRecord), ...spokenActionsOf(step)],
    provider: context.order.provider,
    model,
    tokens,
    ...defined({ cost_usd: costUsd }),
    ms: {
      observe: page.ms,
      decide: decideMs,
      act: actions.reduce((sum, { ms }) => sum + ms, 0),
    },
  }
}

/** Shortens a long text that was read, for the public record. */
function truncateForRecord(action: StepAction): StepAction {
  const { text } = action
  return text === undefined
    ? action
    : { ...action, text: text.slice(0, taskRunLimits.recordedTextChars) }
}

export function stateRecord(context: TaskContext, state: TaskState, atMs: number): StateRecord {
  const { question, outcome } = context
  const isOver = taskStatusOf(state) !== 'RUNNING'
  const waiting = waitIn(state, context)
  return {
    type: 'state',
    task_id: context.id,
    session_id: context.sessionId,
    n: context.announced,
    at: new Date(atMs).toISOString(),
    state,
    status: taskStatusOf(state),
    steps: context.steps,
    ...(question && { question }),
    ...(waiting && { waiting: taskWaitRecord(waiting) }),
    ...(isOver && outcome?.result && { result: outcome.result }),
    ...(isOver && outcome && { end: outcome.end }),
    ...(isOver && outcome?.error !== undefined && { error: outcome.error }),
  }
}
