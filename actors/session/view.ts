/** The public view of a session. */
import { defined } from '../../proto/defined.ts'
import type { SnapshotFrom } from 'xstate'
import { isFinal, type SessionStatus, type SessionView } from '../../proto/session/session.ts'
import { withoutSecrets } from './claiming/option-secrets.ts'
import type { SessionContext } from './context.ts'
import { isUnreachable, type sessionMachine } from './machine.ts'

export type SessionSnapshot = SnapshotFrom<typeof sessionMachine>
type SessionState = SessionSnapshot['value']

export const sessionStatusOf: Readonly<Record<SessionState, SessionStatus>> = {
  requested: 'starting',
  claiming: 'starting',
  active: 'running',
  ending: 'ending',
  ended: 'completed',
  failed: 'failed',
  lost: 'lost',
}

export function sessionView(snapshot: SessionSnapshot): SessionView {
  const { context } = snapshot
  const { deadlines, reason, message, endedAtMs, claim, liveGeneration } = context
  const { unreachableSinceMs, recording, use, usedLinks } = context
  const status = statusOf(snapshot)
  return {
    id: context.id,
    tenant: context.tenant,
    status,
    ...(reason && { reason }),
    ...(message && { message }),
    createdAtMs: context.createdAtMs,
    ...(endedAtMs !== null && { endedAtMs }),
    ...(status === 'unreachable' && defined({ unreachableSinceMs })),
    ...(deadlines['max'] !== undefined && { expiresAtMs: deadlines['max'] }),
    ...(deadlines['idle'] !== undefined && { idleExpiresAtMs: deadlines['idle'] }),
    keyId: context.keyId,
    keyName: context.keyName,
    ...(context.madeBySdk && { madeBySdk: true }),
    tags: context.tags,
    ...defined({ liveGeneration, recording, use, usedLinks }),
    options: withoutSecrets(context.options),
    ...profileOf(context, status),
    ...(claim && { nodeId: claim.nodeId }),
  }
}

function statusOf({ value, context }: SessionSnapshot): SessionStatus {
  return value === 'active' && isUnreachable(context) ? 'unreachable' : sessionStatusOf[value]
}

function profileOf({ profile, options, reason }: SessionContext, status: SessionStatus) {
  if (!options.profile) return {}
  const isLost = options.profile.persist && isFinal(status) && profile?.saved === undefined
  const problem = profile?.problem ?? `The session ended with ${reason}.`
  return { profile: { ...profile, ...(isLost && { problem }) } }
}
