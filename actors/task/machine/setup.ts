/**
 * The actions and guards of a task's machine: how its context changes, and which effects it
 * requests.
 */
import { assign, setup } from 'xstate'
import type { TaskEnd, TaskInput } from '../../../proto/task/task.ts'
import { doneWith, nextAct, type TaskContext } from '../state/context.ts'
import type { TaskEvent } from '../state/events.ts'
import { remedyFor } from './remedies.ts'
import { rememberFact } from '../prompting/history.ts'
import {
  completedOutcome,
  budgetOutcome,
  isTaskConcluded,
  mustCheck,
  mustConfirm,
} from './transitions.ts'
import { abandonStep, recordAct, addUsage, startStep, finishStep } from './current-step.ts'
import { toActionRecord } from '../prompting/decision.ts'
import type { TaskEffect } from './effect-requests.ts'
import { taskRunLimits } from '../limits.ts'

type Change = Partial<TaskContext>
interface TransitionInput {
  readonly context: TaskContext
  readonly event: TaskEvent
}

export const taskSetup = setup({
  types: {
    context: {} as TaskContext,
    input: {} as TaskInput,
    events: {} as TaskEvent,
  },
  actions: {
    /** Placeholder: the runtime runs effects after their entry is durable. */
    effect: (_, _request: TaskEffect) => undefined,
    number: assign({ announced: ({ context }) => context.announced + 1 }),
    takeTurn: assign(takeTurn),
    prepare: assign(({ event }) => {
      if (event.type !== 'prepared') return {}
      const { turn, firstUrl, notice } = event
      return { turn, firstUrl, notices: notice ? [notice] : [] }
    }),
    observe: assign(({ event }) =>
      event.type === 'observed' ? { page: event.page, turn: event.turn } : {},
    ),
    countStored: assign(({ context: { stored }, event }) => {
      if (!('stored' in event) || event.stored === undefined) return {}
      const { steps, pictures } = event.stored
      return {
        stored: {
          steps: (stored?.steps ?? 0) + steps,
          pictures: (stored?.pictures ?? 0) + pictures,
        },
      }
    }),
    startStep: assign(({ context, event }) =>
      event.type === 'decided' ? startStep(context, event) : {},
    ),
    fail: assign(applyFailure),
    act: assign(({ context, event }) =>
      event.type === 'acted' ? { ...recordAct(context, event), turn: event.turn } : {},
    ),
    markActUnknown: assign(({ context }) =>
      recordLostAct(context, 'unknown', 'Its host died while it was done.'),
    ),
    markActFailed: assign(({ context, event }) =>
      event.type === 'effect.failed' ? recordLostAct(context, 'failed', event.error.message) : {},
    ),
    requestConfirmation: assign(requestConfirmation),
    requestAnswer: assign(requestAnswer),
    allow: assign(({ context }) => ({
      question: null,
      ...(context.step && { step: { ...context.step, isAllowed: true } }),
    })),
    forbidAct: assign(forbidAct),
    applyAnswer: assign(applyAnswer),
    check: assign(applyCheck),
    /** A check that failed to run does not invalidate the result. */
    waiveCheck: assign(({ context, event }) => ({
      outcome: completedOutcome(context),
      then: null,
      ...(event.type === 'faulted' &&
        event.usage && { usage: addUsage(context.usage, event.usage) }),
    })),
    finishStep: assign(({ context }) => finishStep(context)),
    complete: assign(({ context }) => ({ outcome: completedOutcome(context), then: null })),
    exhaust: assign(({ context }) => ({ outcome: budgetOutcome(context) ?? null })),
    requestPause: assign({ wantsPause: true }),
    clearPause: assign({ wantsPause: false }),
    /** Ends everything in progress, and closes the step for its record. */
    conclude: assign(({ context }, params: { readonly end: TaskEnd; readonly error?: string }) => ({
      ...abandonStep(context),
      outcome: params,
    })),
    loseSession: assign({ isSessionGone: true }),
    clearDeadlines: assign({ deadlines: {}, wantsPause: false }),
    /** At this deadline, the task reports that it waits for the model. */
    expectAnswer: assign(({ context, event }) => ({
      deadlines: { ...context.deadlines, answer: event.at + taskRunLimits.modelWaitNoticeMs },
    })),
    noteSilence: assign(({ event }) => ({
      waiting: { for: 'model' as const, sinceMs: event.at - taskRunLimits.modelWaitNoticeMs },
    })),
    endWaiting: assign(({ context }) => {
      const { retry: _, answer: __, ...deadlines } = context.deadlines
      return { deadlines, waiting: null }
    }),
    /** The sealed secrets are removed from the state. */
    finish: assign(({ context, event }) => {
      const { sealedSecrets: _, ...order } = context.order
      return { endedAtMs: event.at, order }
    }),
  },
  guards: {
    isUnderWay: ({ context }) => context.outcome === null,
    isItsSession: ({ context, event }) =>
      event.type === 'session.ended' &&
      event.sessionId === context.sessionId &&
      context.outcome === null,
    isItsTurn: ({ context, event }) =>
      event.type === 'session.turn' && event.turn.sessionId === context.sessionId,
    hasTurn: ({ event }) => event.type === 'entered' && event.turn !== undefined,
    isOver: ({ context }) => isTaskConcluded(context),
    hasStep: ({ context }) => context.step !== null,
    hasAct: ({ context }) => nextAct(context) !== undefined,
    mustConfirm: ({ context }) => mustConfirm(context),
    isExhausted: ({ context }) => !doneWith(context) && budgetOutcome(context) !== undefined,
    wantsPause: ({ context }) => context.wantsPause,
    mustWait: ({ context }) => context.deadlines['retry'] !== undefined,
    mustCheck: ({ context }) => mustCheck(context),
    isDone: ({ context }) => doneWith(context) !== undefined,
    asks: ({ context }) => context.then?.kind === 'ask',
    isAsked: ({ context, event }) =>
      event.type === 'answer' && event.questionId === context.question?.id,
    isAllowed: ({ context, event }) =>
      event.type === 'answer' &&
      event.questionId === context.question?.id &&
      context.question.kind === 'confirmation' &&
      event.approve === true,
    isForbidden: ({ context, event }) =>
      event.type === 'answer' &&
      event.questionId === context.question?.id &&
      context.question.kind === 'confirmation',
    isOf: ({ event }, kind: string) =>
      (event.type === 'effect.failed' || event.type === 'effect.unknown') && event.kind === kind,
    hasEnded: ({ context }, ends: readonly TaskEnd[]) =>
      context.outcome !== null && ends.includes(context.outcome.end),
  },
})

function takeTurn({ event }: TransitionInput): Change {
  const turn = event.type === 'entered' || event.type === 'session.turn' ? event.turn : undefined
  return turn ? { turn, startedAtMs: event.at } : {}
}

function applyFailure({ context, event }: TransitionInput): Change {
  if (event.type !== 'faulted') return {}
  const { failure, usage, at } = event
  const failures = {
    ...context.failures,
    [failure.kind]: (context.failures[failure.kind] ?? 0) + 1,
  }
  const remedy = remedyFor({ ...context, failures }, failure, at)
  const base = { failures, ...(usage && { usage: addUsage(context.usage, usage) }) }
  switch (remedy.kind) {
    case 'end':
      return { ...base, outcome: { end: remedy.end, error: remedy.error } }
    case 'wait':
      return {
        ...base,
        deadlines: { ...context.deadlines, retry: remedy.untilMs },
        waiting: { for: 'model', sinceMs: at, reason: failure.message, retryAtMs: remedy.untilMs },
      }
    case 'again':
      return {
        ...base,
        ...(failure.kind === 'context_length' && { squeezed: context.squeezed + 1 }),
        ...(remedy.notice && { notices: [...context.notices, remedy.notice] }),
      }
    default:
      return remedy satisfies never
  }
}

/** The outcome of the next act is unknown, so the following acts are dropped. */
function recordLostAct(context: TaskContext, outcome: 'unknown' | 'failed', text: string): Change {
  const action = { ...toActionRecord(nextAct(context)!), outcome, text }
  return recordAct(context, { action, movedPage: true })
}

function requestConfirmation({ context, event }: TransitionInput): Change {
  const act = nextAct(context)!
  const { note } = context.step!.decision
  const what = [act.tool, act.element ?? JSON.stringify(act.given)].join(' ')
  const text = `May it do this? ${what}${note && `\n${note}`}`.slice(0, taskRunLimits.questionChars)
  return question(context, { kind: 'confirmation', action: act.gate!, text, askedAtMs: event.at })
}

function requestAnswer({ context, event }: TransitionInput): Change {
  if (context.then?.kind !== 'ask') return {}
  const text = context.then.question.slice(0, taskRunLimits.questionChars)
  return question(context, { kind: 'question', text, askedAtMs: event.at })
}

/** The id contains the task's, so that a late answer is not taken for the session's next task. */
function question(
  { id, questions }: TaskContext,
  asked: Omit<NonNullable<TaskContext['question']>, 'id'>,
): Change {
  const n = questions + 1
  return { questions: n, question: { id: `${id}.q${n}`, ...asked } }
}

function forbidAct({ context, event }: TransitionInput): Change {
  const said = event.type === 'answer' && event.text ? ` They said: ${event.text}` : ''
  const text = `The person who watches does not allow this.${said}`
  const action = { ...toActionRecord(nextAct(context)!), outcome: 'refused' as const, text }
  return { ...recordAct(context, { action, movedPage: true }), question: null }
}

function applyAnswer({ context, event }: TransitionInput): Change {
  if (event.type !== 'answer') return {}
  const asked = context.question?.text ?? ''
  const answer = event.text ?? (event.approve ? 'Yes.' : 'No.')
  const notice = `You asked: ${asked}\nThe person answers: ${answer}`
  const history = rememberFact(context.history, `Asked: ${asked} The person: ${answer}`)
  return { question: null, then: null, history, notices: [...context.notices, notice] }
}

function applyCheck({ context, event }: TransitionInput): Change {
  if (event.type !== 'checked') return {}
  const { verdict, usage } = event
  const checks = context.checks + 1
  const base = { checks, usage: addUsage(context.usage, usage), then: null }
  const { accomplished, missing } = verdict
  if (accomplished) return { ...base, outcome: completedOutcome(context) }
  const isLast = checks >= taskRunLimits.finalChecks || budgetOutcome(context) !== undefined
  if (isLast) return { ...base, outcome: completedOutcome(context, missing) }
  const notice = `You said that it was done, and a check found: ${missing}`
  return { ...base, notices: [...context.notices, notice] }
}
