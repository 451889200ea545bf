/** What can be said to the actor of a session, and what it answers. */
import { actorProtocol, commandVerb, queryVerb, type MessageTo } from './actor.ts'
import type { BrowserId } from './ids.ts'
import type { BrowserClaim } from './node.ts'
import type { EndReason, SessionOptions, SessionView } from './session.ts'

/** What a session is made from. */
export interface SessionInput {
  readonly id: string
  readonly tenant: string
  readonly keyId: string
  readonly keyName: string
  /** The official SDK made it, which follows its tasks without a key. */
  readonly madeBySdk?: true
  readonly options: SessionOptions
  /** Wall-clock ms. */
  readonly createdAtMs: number
}

export interface SessionReply {
  readonly view: SessionView
}

/** Where a gateway dials for the browser's bytes, and the ticket's secret. Private. */
export interface AttachReply extends SessionReply {
  readonly claim: BrowserClaim
  /** Of the session's actor: tickets carry it. */
  readonly epoch: number
}

/** Where a session's browser is, for the task that has the turn. */
export interface SessionTurn {
  readonly sessionId: string
  readonly nodeId: BrowserClaim['nodeId']
  readonly browserId: BrowserClaim['browserId']
  /** Of the session's actor. */
  readonly epoch: number
}

export interface EnterReply extends SessionReply {
  /** Absent while other tasks are before it, or there is no browser yet: `session.turn` follows. */
  readonly turn?: SessionTurn
}

export const sessionActor = actorProtocol<SessionInput, SessionView>()('session', {
  created: queryVerb<SessionReply>(),
  get: queryVerb<SessionReply>(),
  /** From the agent that holds this browser: is it still wanted? */
  'browser.report': queryVerb<{ readonly keep: boolean }, { readonly browserId: BrowserId }>(),
  /** From the agent whose browser ended without its asking. */
  'browser.gone': commandVerb<
    SessionReply,
    {
      readonly browserId: BrowserId
      readonly cause: 'closed' | 'crashed' | 'out_of_resources'
      /** One sentence for the session's owner. */
      readonly detail: string
    }
  >(),
  /** `by` is the incarnation of a gateway that has its first connection to the browser … */
  attach: commandVerb<AttachReply, { readonly by: string }>(),
  /** … or has none any more, for `quietMs` now: a gateway stays attached a little after the last. */
  disconnected: commandVerb<SessionReply, { readonly by: string; readonly quietMs?: number }>(),
  /** `task` is an id; a task may ask again at any time. */
  'task.enter': commandVerb<EnterReply, { readonly task: string }>(),
  'task.leave': commandVerb<SessionReply, { readonly task: string }>(),
  tag: commandVerb<SessionReply, { readonly tags: readonly string[] }>(),
  /** Every link to its live view that there is opens nothing from now on. */
  'live.revoke': commandVerb<SessionReply>(),
  end: commandVerb<SessionReply, { readonly reason: EndReason }>(),
})

/** What a node agent tells the session of a browser. */
export type BrowserGone = MessageTo<typeof sessionActor, 'browser.gone'>
