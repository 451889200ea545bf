/**
 * What can be said to the actor of a task, and what it answers. A command that the task's state
 * does not allow is a `conflict`; a task that is over takes `get` and `cancel`, which change nothing.
 */
import { actorProtocol, commandVerb, queryVerb } from './actor.ts'
import type { SessionTurn } from './session-protocol.ts'
import type { TaskInput, TaskView } from './task.ts'

export interface TaskReply {
  readonly view: TaskView
}

export const taskActor = actorProtocol<TaskInput, TaskView>()('task', {
  created: queryVerb<TaskReply>(),
  /** Asked `untilSettled`, it answers when the task is over. */
  get: queryVerb<TaskReply>(),
  cancel: commandVerb<TaskReply>(),
  /** Stops before the next thing to do; the session stays. */
  pause: commandVerb<TaskReply>(),
  resume: commandVerb<TaskReply>(),
  /** A question wants `text`, a confirmation `approve`, with a `text` that the model reads. */
  answer: commandVerb<
    TaskReply,
    { readonly questionId: string; readonly text?: string; readonly approve?: boolean }
  >(),
  /** From the session's actor: this task is the first of those that work in it. */
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
