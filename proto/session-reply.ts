/** What the session actor answers to those who ask it. */
import type { BrowserClaim } from './node.ts'
import type { SessionView } from './session.ts'

export interface SessionReply {
  readonly view: SessionView
}

/** Where a gateway dials for the browser's bytes, and what opens the door there. Private. */
export interface AttachReply extends SessionReply {
  readonly claim: BrowserClaim
  readonly epoch: number
  /** Single use, see `ticket.ts`. */
  readonly ticket: string
}

/** To an agent's `browser.report`: is this browser still wanted? */
export interface ReportReply {
  readonly keep: boolean
}
