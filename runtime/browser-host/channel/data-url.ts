import { randomBytes } from 'node:crypto'
import { limits } from '../../../proto/limits.ts'
import type { BrowserClaim } from '../../../proto/session/browser-claim.ts'
import { signTicket, type Ticket } from '../../../proto/browser-host/ticket.ts'
import type { Clock } from '../../lib/clock.ts'

export interface DataAccess {
  readonly claim: Pick<BrowserClaim, 'dataUrl' | 'ticketSecret'>
  readonly sessionId: string
  /** Epoch of the session's actor: the agent refuses one that it knows to be outdated. */
  readonly epoch: number
  readonly clock: Clock
}

/** The URL of a path on the browser's agent, with a new single-use ticket. */
export function dataUrl(access: DataAccess, kind: Ticket['kind'], path: string): string {
  const { claim, sessionId, epoch, clock } = access
  const nonce = randomBytes(16).toString('base64url')
  const expiresAtMs = clock.now() + limits.ticketLifeMs
  const ticket = signTicket({ sessionId, kind, epoch, expiresAtMs, nonce }, claim.ticketSecret)
  return `${claim.dataUrl}/${kind}?ticket=${ticket}&path=${encodeURIComponent(path)}`
}
