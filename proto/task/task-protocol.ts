/**
 * The protocol of a task's actor. A command that the task's state does not allow is a `conflict`; a
 * finished task accepts `get` and `cancel`, which change nothing.
 */
import { actorProtocol, commandVerb, endVerb, queryVerb } from '../actor.ts'
import type { SessionTurn } from '../session/session-protocol.ts'
import type { TaskInput, TaskView } from './task.ts'

export interface TaskReply {
  readonly view: TaskView
}

export const taskActor = actorProtocol<TaskInput, TaskView>()('task', {
  created: queryVerb<TaskReply>(),
  /** With `untilSettled`, the reply comes when the task is over. */
  get: queryVerb<TaskReply>(),
  cancel: endVerb<TaskReply>(),
  /** Pauses before the next action; the session stays. */
  pause: commandVerb<TaskReply>(),
  resume: commandVerb<TaskReply>(),
  /**
   * A question needs `text`; a confirmation needs `approve`, and its `text` is read by the model.
   */
  answer: commandVerb<
    TaskReply,
    { readonly questionId: string; readonly text?: string; readonly approve?: boolean }
  >(),
  /** Sent by the session's actor: this task is now the first of those that work in it. */
  'session.turn': commandVerb<TaskReply, { readonly turn: SessionTurn }>(),
  'session.ended': commandVerb<
    TaskReply,
    {
      readonly sessionId: string
      readonly reason: string | null
      readonly message: string | null
    }
  >(),
})
