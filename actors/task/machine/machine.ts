/**
 * A task, from the order to its end. Pure: its decisions are in `setup.ts`, `transitions.ts` and
 * `step.ts`; side effects are requested as effects (`effect-requests.ts`). README.md has the diagram.
 */
import type { ErrorType } from '../../../proto/errors.ts'
import type { TaskEnd } from '../../../proto/task/task.ts'
import { initialContext, type TaskContext } from '../state/context.ts'
import type { TaskEvent } from '../state/events.ts'
import { taskSetup } from './setup.ts'
import { publishState, requestEffect, requestAct, publishStep } from './effect-requests.ts'

type FailedEffect = Extract<TaskEvent, { readonly type: 'effect.failed' }>

const timeIsUp = 'The task reached its time limit (timeout_seconds).'

/** For effects that a task cannot continue without: when one fails, the task ends. */
const failsFor = (kind: string, end: TaskEnd) =>
  ({
    target: 'turning',
    guard: { type: 'isOf', params: kind },
    actions: {
      type: 'conclude',
      params: ({ event: { error } }: { event: FailedEffect }) => ({
        end: ends[error.type] ?? end,
        error: error.message,
      }),
    },
  }) as const

const ends: Partial<Record<ErrorType, TaskEnd>> = {
  session_ended: 'session_ended',
  unavailable: 'session_unavailable',
  internal: 'internal',
}

const sessionLoss = ({
  context,
  event,
}: {
  context: TaskContext
  event: Extract<TaskEvent, { readonly type: 'session.ended' }>
}) => {
  const why = event.message ?? event.reason ?? 'ended'
  return context.turn === null
    ? { end: 'session_unavailable' as const, error: `The task could not get a browser: ${why}` }
    : { end: 'session_ended' as const, error: `The session of the task has ended: ${why}` }
}

export const taskMachine = taskSetup.createMachine({
  id: 'task',
  context: ({ input }) => initialContext(input),
  initial: 'queued',
  on: {
    cancel: {
      target: '.turning',
      guard: 'isUnderWay',
      actions: { type: 'conclude', params: { end: 'cancelled', error: 'The task was cancelled.' } },
    },
    'deadline.max': {
      target: '.turning',
      guard: 'isUnderWay',
      actions: { type: 'conclude', params: { end: 'timeout', error: timeIsUp } },
    },
    'session.ended': {
      target: '.turning',
      guard: 'isItsSession',
      actions: [{ type: 'conclude', params: sessionLoss }, 'loseSession'],
    },
    pause: { guard: 'isUnderWay', actions: 'requestPause' },
    resume: { guard: 'isUnderWay', actions: 'clearPause' },
  },
  states: {
    /** Waits for its turn in the session. Without a session, one is created first. */
    queued: {
      entry: [...publishState('queued'), requestEffect('enter')],
      on: {
        entered: { target: 'preparing', guard: 'hasTurn', actions: 'takeTurn' },
        'session.turn': { target: 'preparing', guard: 'isItsTurn', actions: 'takeTurn' },
        'effect.failed': failsFor('enter', 'session_unavailable'),
      },
    },
    preparing: {
      entry: [requestEffect('prepare'), requestEffect('attend')],
      on: {
        prepared: { target: 'between', actions: ['prepare', ...publishState('observing')] },
        'effect.failed': failsFor('prepare', 'session_unavailable'),
      },
    },
    observing: {
      entry: requestEffect('observe'),
      on: {
        observed: { target: 'deciding', actions: ['observe', 'countStored'] },
        pause: { target: 'paused', actions: 'requestPause' },
        'effect.failed': failsFor('observe', 'internal'),
      },
    },
    deciding: {
      entry: [requestEffect('decide'), 'expectAnswer'],
      on: {
        'deadline.answer': { actions: ['noteSilence', ...publishState('deciding')] },
        decided: { target: 'turning', actions: 'startStep' },
        faulted: { target: 'between', actions: 'fail' },
        // The text of the page was in the memory of a dead process: read it again.
        forgotten: 'observing',
        recovered: 'observing',
        pause: { target: 'paused', actions: 'requestPause' },
        'effect.failed': failsFor('decide', 'internal'),
      },
      exit: 'endWaiting',
    },
    /** Runs the acts of the step one after another; after the last, the step is closed. */
    turning: {
      always: [
        { target: 'asking', guard: 'mustConfirm', actions: 'requestConfirmation' },
        { target: 'acting', guard: 'hasAct' },
        { target: 'between', guard: 'hasStep', actions: [publishStep, 'finishStep'] },
        { target: 'between' },
      ],
    },
    acting: {
      entry: requestAct,
      on: {
        acted: { target: 'turning', actions: 'act' },
        'effect.unknown': {
          target: 'turning',
          guard: { type: 'isOf', params: 'act' },
          actions: 'markActUnknown',
        },
        'effect.failed': {
          target: 'turning',
          guard: { type: 'isOf', params: 'act' },
          actions: 'markActFailed',
        },
      },
    },
    /** Between two steps: decides, in this order, whether and how the task continues. */
    between: {
      always: [
        { target: 'leaving', guard: 'isOver' },
        { target: 'leaving', guard: 'isExhausted', actions: 'exhaust' },
        { target: 'paused', guard: 'wantsPause' },
        { target: 'waiting', guard: 'mustWait' },
        { target: 'checking', guard: 'mustCheck' },
        { target: 'leaving', guard: 'isDone', actions: 'complete' },
        { target: 'asking', guard: 'asks', actions: 'requestAnswer' },
        { target: 'observing' },
      ],
    },
    /** Waits for a person to answer the model, or to allow the next act. */
    asking: {
      entry: [...publishState('asking')],
      on: {
        answer: [
          { target: 'turning', guard: 'isAllowed', actions: ['allow', ...publishState('acting')] },
          {
            target: 'turning',
            guard: 'isForbidden',
            actions: ['forbidAct', ...publishState('acting')],
          },
          {
            target: 'between',
            guard: 'isAsked',
            actions: ['applyAnswer', ...publishState('observing')],
          },
        ],
      },
    },
    /** Lets the model check its claimed result against the goal. */
    checking: {
      entry: [requestEffect('check'), 'expectAnswer'],
      on: {
        'deadline.answer': { actions: ['noteSilence', ...publishState('checking')] },
        checked: { target: 'between', actions: 'check' },
        faulted: { target: 'between', actions: 'waiveCheck' },
        'effect.failed': {
          target: 'between',
          guard: { type: 'isOf', params: 'check' },
          actions: 'waiveCheck',
        },
      },
      exit: 'endWaiting',
    },
    /** The model's provider is busy or unreachable; the deadline says when to retry. */
    waiting: {
      entry: [...publishState('waiting')],
      on: {
        'deadline.retry': { target: 'observing' },
        pause: { target: 'paused', actions: 'requestPause' },
      },
      exit: 'endWaiting',
    },
    paused: {
      entry: [...publishState('paused')],
      on: { resume: { target: 'between', actions: ['clearPause', ...publishState('observing')] } },
    },
    /** Leaves its turn or its session, and waits until every record is published. */
    leaving: {
      entry: ['clearDeadlines', requestEffect('leave')],
      on: {
        left: { target: 'gone', actions: 'countStored' },
        'effect.failed': { target: 'gone', guard: { type: 'isOf', params: 'leave' } },
      },
    },
    gone: {
      always: [
        { target: 'completed', guard: { type: 'hasEnded', params: ['done'] } },
        { target: 'cancelled', guard: { type: 'hasEnded', params: ['cancelled'] } },
        { target: 'timed_out', guard: { type: 'hasEnded', params: ['timeout'] } },
        { target: 'failed' },
      ],
    },
    completed: { entry: ['finish', ...publishState('completed')] },
    cancelled: { entry: ['finish', ...publishState('cancelled')] },
    timed_out: { entry: ['finish', ...publishState('timed_out')] },
    failed: { entry: ['finish', ...publishState('failed')] },
  },
})
