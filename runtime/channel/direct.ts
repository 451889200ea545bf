import { randomBytes } from 'node:crypto'
import { limits } from '../../proto/limits.ts'
import type { BrowserClaim } from '../../proto/node.ts'
import { signTicket, type Ticket } from '../../proto/ticket.ts'
import type { Clock } from '../clock.ts'
import type { Door } from './channel.ts'
import { dialUpgrade } from './stream.ts'
import { dialUrl, getUrl } from './web-socket.ts'

export interface DirectOptions {
  readonly claim: BrowserClaim
  readonly sessionId: string
  /** Of the session's actor: the agent refuses one it knows to be past. */
  readonly epoch: number
  readonly clock: Clock
}

/**
 * Through the data port of the agent that holds the browser, with a
 * fresh single-use ticket each time.
 */
export function directDoor({ claim, sessionId, epoch, clock }: DirectOptions): Door {
  const url = (kind: Ticket['kind'], path: string) => {
    const nonce = randomBytes(16).toString('base64url')
    const expiresAtMs = clock.now() + limits.ticketLifeMs
    const ticket = signTicket({ sessionId, kind, epoch, expiresAtMs, nonce }, claim.ticketSecret)
    return `${claim.dataUrl}/${kind}?ticket=${ticket}&path=${encodeURIComponent(path)}`
  }
  return {
    dial: (path, listener) => dialUrl(url('cdp', path).replace(/^http/, 'ws'), listener),
    dialDesktop: (listener) => dialUpgrade(url('vnc', '/'), listener),
    get: (path) => getUrl(url('http', path)),
  }
}
