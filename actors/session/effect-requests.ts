/** The effects that a session requests, from its context. Pure. */
import { defined } from '../../proto/defined.ts'
import { loginsOf } from '../../proto/session/profile.ts'
import type { EffectRequestOf } from '../../runtime/actor/actor-kind.ts'
import type { ProfileParams } from './claiming/profile.ts'
import type { SessionContext, SessionEffects } from './context.ts'

export type SessionEffect = EffectRequestOf<SessionEffects>

export const claimEffect = ({ context }: { context: SessionContext }): SessionEffect => ({
  kind: 'claim',
  retry: 'safe',
  params: { sessionId: context.id, options: context.options, tenant: context.tenant },
})

export const releaseEffect = ({ context }: { context: SessionContext }): SessionEffect => ({
  kind: 'release',
  retry: 'safe',
  params: {
    sessionId: context.id,
    claim: context.claim,
    ...defined({ profile: keptProfile(context) }),
  },
})

export const verifyEffect = ({ context }: { context: SessionContext }): SessionEffect => ({
  kind: 'verify',
  retry: 'safe',
  params: { sessionId: context.id, claim: context.claim },
})

/** The profile that the session's end saves. */
export function keptProfile(context: SessionContext): ProfileParams | undefined {
  const { id: sessionId, tenant, options } = context
  if (!options.profile?.persist) return undefined
  const logins = loginsOf(context.profile ?? {})
  return { sessionId, tenant, name: options.profile.name, ...(logins.length > 0 && { logins }) }
}

export const auditEndEffect = ({ context }: { context: SessionContext }): SessionEffect => ({
  kind: 'audit_end',
  retry: 'safe',
  params: {
    sessionId: context.id,
    tenant: context.tenant,
    keyId: context.keyId,
    reason: context.reason!,
    seconds: Math.round(((context.endedAtMs ?? 0) - context.createdAtMs) / 1_000),
  },
})
