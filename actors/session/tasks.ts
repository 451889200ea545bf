/**
 * Tasks in a session, one at a time: they wait in a queue in its state, and the first has the turn.
 * While there is one, the session is not idle.
 */
import type { SessionTurn } from '../../proto/session/session-protocol.ts'
import type { EffectRequestOf } from '../../runtime/actor/actor-kind.ts'
import type { SessionContext, SessionEffects } from './context.ts'

/** Sessions that were recorded before tasks existed have no queue. */
export const tasksIn = (context: SessionContext): readonly string[] => context.tasks ?? []

/** Access to the browser for the task that has the turn, once there is a browser. */
export function turnAt({ id, claim }: SessionContext): Omit<SessionTurn, 'epoch'> | undefined {
  return claim ? { sessionId: id, nodeId: claim.nodeId, browserId: claim.browserId } : undefined
}

/** Notifies the first task that it has the turn. It may be requested more often than necessary. */
export const turnEffect = ({
  context,
}: {
  context: SessionContext
}): EffectRequestOf<SessionEffects> => ({
  kind: 'give_turn',
  retry: 'safe',
  params: { task: tasksIn(context)[0]!, turn: turnAt(context)! },
})

/** Requested when the session has ended. */
export const dismissEffect = (context: SessionContext): EffectRequestOf<SessionEffects> => ({
  kind: 'dismiss',
  retry: 'safe',
  params: {
    sessionId: context.id,
    tasks: tasksIn(context),
    reason: context.reason,
    message: context.message,
  },
})
