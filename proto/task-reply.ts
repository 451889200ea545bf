/**
 * How a task's actor is spoken to. It is brought to life by a creation with a `TaskInput`, and
 * every command and query answers with a {@link TaskReply}.
 */
import type { BrowserClaim } from './node.ts'
import type { SessionView } from './session.ts'
import type { TaskView } from './task.ts'

/**
 * All of them may carry `tenant`: another's task is `not_found`. A command that the task's state
 * does not allow is a `conflict`; what has ended takes `get` and `cancel`, which changes nothing.
 */
export type TaskCommand =
  /** A query. Asked `untilSettled`, it answers when the task is over. */
  | { readonly type: 'get' }
  | { readonly type: 'cancel' }
  /** Stops before the next thing to do; the session stays. */
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }
  /** A question wants `text`, a confirmation `approve`, with a `text` that the model reads. */
  | {
      readonly type: 'answer'
      readonly questionId: string
      readonly text?: string
      readonly approve?: boolean
    }

export interface TaskReply {
  readonly view: TaskView
}

/** Where a session's browser is, for the task that has the turn. */
export interface SessionTurn {
  readonly sessionId: string
  readonly nodeId: BrowserClaim['nodeId']
  readonly browserId: BrowserClaim['browserId']
  /** Of the session's actor. */
  readonly epoch: number
}

/** A session's answer to `task.enter {task}`, which may be asked again at any time. */
export interface EnterReply {
  readonly view: SessionView
  /** Absent while others are before it, or there is no browser yet: it is told by `session.turn`. */
  readonly turn?: SessionTurn
}
