/** What the session actor answers to those who ask it. */
import type { BrowserClaim } from './node.ts'
import type { SessionView } from './session.ts'

export interface SessionReply {
  readonly view: SessionView
}

/** Where a gateway dials for the browser's bytes, and what opens the door there. Private. */
export interface AttachReply extends SessionReply {
  readonly claim: BrowserClaim
  /** Of the session's actor: tickets carry it. */
  readonly epoch: number
}

/** To an agent's `browser.report`: is this browser still wanted? */
export interface ReportReply {
  readonly keep: boolean
}
