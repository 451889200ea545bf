/** Which messages a task accepts in its current state. */
import type { MessageOf, MessageTo } from '../../../proto/actor.ts'
import { ServiceError } from '../../../proto/errors.ts'
import type { SessionTurn } from '../../../proto/session/session-protocol.ts'
import type { taskActor } from '../../../proto/task/task-protocol.ts'
import type { TaskContext } from '../state/context.ts'
import type { TaskSnapshot } from './view.ts'

type Answer = MessageTo<typeof taskActor, 'answer'>

/** A task that is over, or about to be, accepts only `get` and `cancel`, which change nothing. */
export function admitTask({ context }: TaskSnapshot, message: MessageOf<typeof taskActor>): void {
  switch (message.type) {
    case 'created':
    case 'get':
    case 'cancel':
    case 'session.ended':
      return
  }
  if (context.outcome !== null) {
    throw new ServiceError('conflict', `The task has ended (${context.outcome.end}).`)
  }
  if (message.type === 'answer') admitAnswer(context, message)
  if (message.type === 'session.turn') admitTurn(context, message.turn)
}

function admitAnswer({ question }: TaskContext, { questionId, text, approve }: Answer): void {
  if (question === null) throw new ServiceError('conflict', 'The task has no open question.')
  if (questionId !== question.id) {
    const other = `The task now has another open question (${question.id}); read and answer it.`
    throw new ServiceError('conflict', other)
  }
  if (question.kind === 'confirmation' && approve === undefined) {
    throw new ServiceError('bad_request', 'Answer a confirmation with approve: true or false.')
  }
  if (question.kind === 'question' && text === undefined && approve === undefined) {
    throw new ServiceError('bad_request', 'Answer a question with text.')
  }
}

/** Refuses a turn that comes too late, so that the next task gets it. */
function admitTurn({ sessionId }: TaskContext, turn: SessionTurn): void {
  if (turn.sessionId === sessionId) return
  throw new ServiceError('conflict', 'The task does not run in that session.')
}
