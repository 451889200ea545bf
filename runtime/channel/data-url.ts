import { randomBytes } from 'node:crypto'
import { limits } from '../../proto/limits.ts'
import type { BrowserClaim } from '../../proto/node.ts'
import { signTicket, type Ticket } from '../../proto/ticket.ts'
import type { Clock } from '../clock.ts'

export interface DataAccess {
  readonly claim: Pick<BrowserClaim, 'dataUrl' | 'ticketSecret'>
  readonly sessionId: string
  /** Of the session's actor: the agent refuses one it knows to be past. */
  readonly epoch: number
  readonly clock: Clock
}

/** A path on the data port of the agent that holds the browser, with a fresh single-use ticket. */
export function dataUrl(access: DataAccess, kind: Ticket['kind'], path: string): string {
  const { claim, sessionId, epoch, clock } = access
  const nonce = randomBytes(16).toString('base64url')
  const expiresAtMs = clock.now() + limits.ticketLifeMs
  const ticket = signTicket({ sessionId, kind, epoch, expiresAtMs, nonce }, claim.ticketSecret)
  return `${claim.dataUrl}/${kind}?ticket=${ticket}&path=${encodeURIComponent(path)}`
}
