/** The protocol of a session's actor. */
import { actorProtocol, commandVerb, endVerb, queryVerb, type MessageTo } from '../actor.ts'
import type { BrowserId } from '../ids.ts'
import type { BrowserClaim } from './browser-claim.ts'
import type { BrowserUse, MadeRecording } from './browser-reports.ts'
import type { EndReason, SessionOptions, SessionView } from './session.ts'

/** The input that a session is created from. */
export interface SessionInput {
  readonly id: string
  readonly tenant: string
  readonly keyId: string
  readonly keyName: string
  /** Created by the official SDK, which follows its tasks without a key. */
  readonly madeBySdk?: true
  readonly options: SessionOptions
  /** Wall-clock ms. */
  readonly createdAtMs: number
}

export interface SessionReply {
  readonly view: SessionView
}

/** Where a gateway dials for the browser's bytes, and the secret for tickets. Private. */
export interface AttachReply extends SessionReply {
  readonly claim: BrowserClaim
  /** Epoch of the session's actor; tickets contain it. */
  readonly epoch: number
}

/** Access to a session's browser for the task whose turn it is. */
export interface SessionTurn {
  readonly sessionId: string
  readonly nodeId: BrowserClaim['nodeId']
  readonly browserId: BrowserClaim['browserId']
  /** Epoch of the session's actor. */
  readonly epoch: number
}

export interface EnterReply extends SessionReply {
  /**
   * Absent while other tasks are before it, or there is no browser yet: `session.turn` is sent
   * later.
   */
  readonly turn?: SessionTurn
}

/** A browser, and the agent that has taken it over. */
export interface BrowserHeir extends Pick<
  BrowserClaim,
  'browserId' | 'nodeId' | 'incarnation' | 'dataUrl'
> {}

/** What that agent needs to go on, if the session still has this browser. */
export type AdoptReply =
  | { readonly keep: false }
  | {
      readonly keep: true
      readonly claim: BrowserClaim
      readonly options: SessionOptions
      readonly tenant: string
      /** Epoch of the session's actor. */
      readonly epoch: number
      /** What the browser had used by then; the agent counts on from there. */
      readonly use?: BrowserUse
    }

export const sessionActor = actorProtocol<SessionInput, SessionView>()('session', {
  created: queryVerb<SessionReply>(),
  get: queryVerb<SessionReply>(),
  /** Sent by the agent that holds this browser; the answer says whether to keep it. */
  'browser.report': queryVerb<{ readonly keep: boolean }, { readonly browserId: BrowserId }>(),
  /**
   * Sent by the agent that has taken over this browser from an earlier agent of its host. From then
   * on the session's agent is this one.
   */
  'browser.adopt': commandVerb<AdoptReply, BrowserHeir>(),
  /** Sent by the agent whose browser ended without its request. */
  'browser.gone': commandVerb<
    SessionReply,
    {
      readonly browserId: BrowserId
      readonly cause: 'closed' | 'crashed' | 'out_of_resources'
      /** One sentence for the session's owner. */
      readonly detail: string
    }
  >(),
  /** Sent by the agent of this browser, while it runs. */
  'browser.used': commandVerb<
    SessionReply,
    { readonly browserId: BrowserId; readonly use: BrowserUse }
  >(),
  /** Sent by the agent that had this browser; the session may have ended. */
  'recording.made': commandVerb<
    SessionReply,
    { readonly browserId: BrowserId; readonly made: MadeRecording }
  >(),
  /** Sent by a gateway on its first connection to the browser; `by` is its incarnation. */
  attach: commandVerb<AttachReply, { readonly by: string }>(),
  /**
   * Sent by a gateway without connections for `quietMs`; it stays attached for a while after the
   * last.
   */
  disconnected: commandVerb<SessionReply, { readonly by: string; readonly quietMs?: number }>(),
  /** `task` is an id; a task may repeat this at any time. */
  'task.enter': commandVerb<EnterReply, { readonly task: string }>(),
  'task.leave': commandVerb<SessionReply, { readonly task: string }>(),
  /** Moves its end by that many minutes, and its idle deadline to at least that many from now. */
  extend: commandVerb<SessionReply, { readonly minutes: number }>(),
  tag: commandVerb<SessionReply, { readonly tags: readonly string[] }>(),
  /** A stored login was filled into a form of its browser. */
  'login.filled': commandVerb<SessionReply, { readonly login: string }>(),
  /** A viewer opens a one-time link: it is theirs if nobody else has opened it before. */
  'live.use': commandVerb<
    { readonly isTheirs: boolean },
    { readonly link: string; readonly by: string }
  >(),
  /** Invalidates every existing link to the live view. */
  'live.revoke': endVerb<SessionReply>(),
  end: endVerb<SessionReply, { readonly reason: EndReason }>(),
})

/** The report of a node agent that a session's browser has ended. */
export type BrowserGone = MessageTo<typeof sessionActor, 'browser.gone'>
