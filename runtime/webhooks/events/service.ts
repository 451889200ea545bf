/** Surface B: events of sessions and web tasks, sent to endpoints of their tenant. */
import { defined } from '../../../proto/defined.ts'
import type { MadeRecording } from '../../../proto/session/browser-reports.ts'
import type { ProfileOutcome } from '../../../proto/session/profile.ts'
import type { TaskState } from '../../../proto/task/task.ts'
import type { ActorEventType, ActorMoment, EventType } from './event-type.ts'

const words = ({ status, context }: ActorMoment): Readonly<Record<string, string>> => {
  const reason = context['reason']
  return { status, ...(typeof reason === 'string' && { reason }) }
}

/** The login that was filled in last, if the session's profile had it before. */
function endedLogin(context: ActorMoment['context']): string | undefined {
  const { filled = [], ended = [] } = (context['profile'] ?? {}) as ProfileOutcome
  return ended.at(-1) === filled.at(-1) ? ended.at(-1) : undefined
}

const madeRecording = ({ event, context }: ActorMoment): MadeRecording | undefined =>
  event === 'recording.made' ? (context['recording'] as MadeRecording) : undefined

function recordingWords(moment: ActorMoment): Readonly<Record<string, string>> {
  const { outcome, seconds, problem } = madeRecording(moment)!
  return { status: outcome, seconds: String(seconds), ...defined({ problem }) }
}

export const sessionEvents: readonly ActorEventType[] = [
  {
    ...{
      kind: 'session',
      type: 'session.created',
      summary: 'A session was created and has its browser.',
    },
    when: ({ event }) => event === 'claimed',
    more: () => ({ status: 'running' }),
  },
  {
    ...{
      kind: 'session',
      type: 'session.unreachable',
      summary: 'The host of a session’s browser has lost contact; the session may go on.',
    },
    when: ({ event, status }) => event === 'host.silent' && status === 'active',
    more: () => ({ status: 'unreachable' }),
  },
  {
    ...{
      kind: 'session',
      type: 'session.reachable',
      summary: 'The host of a session’s browser is back, and the session goes on.',
    },
    when: ({ event }) => event === 'host.back',
    more: () => ({ status: 'running' }),
  },
  {
    ...{
      kind: 'session',
      type: 'login.ended',
      summary: 'A login that a profile had kept no longer holds: a page has asked for it again.',
    },
    when: ({ event, context }) => event === 'login.filled' && endedLogin(context) !== undefined,
    more: ({ context }) => ({ status: 'running', login: endedLogin(context)! }),
  },
  {
    ...{
      kind: 'session',
      type: 'recording.ready',
      summary: 'The video of a recorded session is made and can be fetched.',
    },
    when: (moment) => madeRecording(moment)?.outcome === 'ready',
    more: recordingWords,
  },
  {
    ...{
      kind: 'session',
      type: 'recording.failed',
      summary: 'The video of a recorded session could not be made; `problem` says why.',
    },
    when: (moment) => madeRecording(moment)?.outcome === 'failed',
    more: recordingWords,
  },
  {
    ...{
      kind: 'session',
      type: 'session.ended',
      summary: 'A session has ended; `reason` says why.',
    },
    // Later entries of its log are not another end.
    when: ({ event, status, context, at }) =>
      event !== 'recording.made' &&
      ['ended', 'failed', 'lost'].includes(status) &&
      context['endedAtMs'] === at,
    more: words,
  },
]

/** Derived from the public records of a task's states, which are numbered. */
export interface TaskEventType extends EventType {
  readonly states: readonly TaskState[]
}

export const taskEvents: readonly TaskEventType[] = [
  { type: 'task.completed', summary: 'A web task has its result.', states: ['completed'] },
  {
    ...{ type: 'task.failed', summary: 'A web task failed; its record says why.' },
    states: ['failed', 'timed_out'],
  },
  { type: 'task.cancelled', summary: 'A web task was cancelled.', states: ['cancelled'] },
  { type: 'task.needs_input', summary: 'A web task waits for a person.', states: ['asking'] },
]
