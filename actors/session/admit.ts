/** Which messages a session accepts in its current state. */
import type { MessageOf } from '../../proto/actor.ts'
import { ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import { sessionLimits } from '../../proto/session/limits.ts'
import type { sessionActor } from '../../proto/session/session-protocol.ts'
import { endedError, isFinal } from '../../proto/session/session.ts'
import { tasksIn } from './tasks.ts'
import { sessionStatusOf, type SessionSnapshot } from './view.ts'
import type { SessionContext } from './context.ts'

/** A session that has ended, or is about to, refuses everything that would use its browser. */
export function admitSession(
  { context, value }: SessionSnapshot,
  message: MessageOf<typeof sessionActor>,
): void {
  switch (message.type) {
    case 'attach':
    case 'extend':
      admitRunning(context, value)
      if (value === 'active') return
      throw new ServiceError('conflict', 'The session is still starting; try again in a moment.')
    case 'tag':
      return admitRunning(context, value)
    case 'live.revoke':
      // Links to its recording work after its end.
      if (isFinal(sessionStatusOf[value]) && context.options.recording) return
      return admitRunning(context, value)
    case 'live.use':
      admitRunning(context, value)
      return admitLink(context, message.link)
    case 'task.enter':
      admitRunning(context, value)
      return admitTaskMessage(context, message.task)
  }
}

function admitRunning(context: SessionContext, value: SessionSnapshot['value']): void {
  if (isFinal(sessionStatusOf[value]) || value === 'ending') throw endedError(context)
}

function admitTaskMessage(context: SessionContext, task: string): void {
  const tasks = tasksIn(context)
  const limit = limits.tasksPerSession
  if (tasks.length < limit || tasks.includes(task)) return
  const message = `${limit} tasks are waiting for this session; wait, or use other sessions.`
  throw new ServiceError('queue_full', message, { limit })
}

function admitLink({ usedLinks = {} }: SessionContext, link: string): void {
  const limit = sessionLimits.usedLinksPerSession
  if (Object.keys(usedLinks).length < limit || usedLinks[link] !== undefined) return
  const message =
    `${limit} one-time links of this session have been used, which is the most; revoke them with ` +
    'DELETE /v1/sessions/{session_id}/live-tokens, and create new ones.'
  throw new ServiceError('conflict', message, { limit })
}
