/** The context of a session's machine, and the effects that it requests. */
import type { WireError } from '../../proto/errors.ts'
import type { BrowserUse, MadeRecording } from '../../proto/session/browser-reports.ts'
import type { BrowserClaim } from '../../proto/session/browser-claim.ts'
import type { SessionInput, SessionTurn } from '../../proto/session/session-protocol.ts'
import type { EndReason, UsedLinks } from '../../proto/session/session.ts'
import type { ActorContext } from '../../runtime/actor/actor-kind.ts'
import type { ProfileOutcome } from '../../proto/session/profile.ts'
import type { ClaimParams } from './claiming/claim.ts'
import type { ProfileParams } from './claiming/profile.ts'

export interface SessionContext extends SessionInput, ActorContext {
  readonly tags: readonly string[]
  /** Number of times that all links to its live view were invalidated. */
  readonly liveGeneration?: number
  /** Of this generation. */
  readonly usedLinks?: UsedLinks
  readonly claim: BrowserClaim | null
  /** Wall-clock ms; present while the browser's host does not renew its lease. */
  readonly unreachableSinceMs?: number | undefined
  /** Gateways that are connected to the browser. While there is one, the session is not idle. */
  readonly holders: readonly string[]
  /** Tasks that want to work in it, in order; the first one has the turn. */
  readonly tasks?: readonly string[]
  readonly reason: EndReason | null
  readonly failure: WireError | null
  readonly message: string | null
  readonly endedAtMs: number | null
  /** Absent without a profile, and until its browser is claimed. */
  readonly profile?: ProfileOutcome
  /** Once its video is made. */
  readonly recording?: MadeRecording
  /** As the agent has told last. */
  readonly use?: BrowserUse
}

export interface TurnParams {
  readonly task: string
  readonly turn: Omit<SessionTurn, 'epoch'>
}

export interface DismissParams {
  readonly sessionId: string
  readonly tasks: readonly string[]
  readonly reason: string | null
  readonly message: string | null
}

export interface HeldParams {
  readonly sessionId: string
  readonly claim: BrowserClaim | null
}

export interface ReleaseParams extends HeldParams {
  /** The profile that is saved before. */
  readonly profile?: ProfileParams
}

export interface EndedParams {
  readonly sessionId: string
  readonly tenant: string
  readonly keyId: string
  readonly reason: EndReason
  /** Duration of the session. */
  readonly seconds: number
}

/** The effects of a session: name → parameters. */
export type SessionEffects = {
  readonly claim: ClaimParams
  readonly release: ReleaseParams
  readonly verify: HeldParams
  readonly give_turn: TurnParams
  readonly dismiss: DismissParams
  readonly audit_end: EndedParams
  readonly free_profile: ProfileParams
}
