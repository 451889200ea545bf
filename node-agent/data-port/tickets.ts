/**
 * Checks the tickets of byte channels: signed with the claim's secret, not expired, of the current
 * epoch, and used once.
 */
import { ServiceError } from '../../proto/errors.ts'
import { ticketSession, verifyTicket, type Ticket } from '../../proto/browser-host/ticket.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import type { SessionBrowser } from '../sessions/sessions.ts'
import { dataPortLimits } from './limits.ts'

/** The data against which a session's tickets are checked. */
export interface SessionAccess {
  readonly ticketSecret: string
  readonly epoch: number
  readonly browser: OpenedBrowser
}

/** The parts of a browser that channels connect to. */
type OpenedBrowser = Pick<SessionBrowser, 'devtools' | 'display' | 'scratch' | 'files'>

/** What a valid ticket opens. */
export interface TicketAdmission {
  readonly sessionId: string
  readonly browser: OpenedBrowser
}

export interface SessionAccesses {
  access(sessionId: string): SessionAccess | undefined
}

export class Tickets {
  readonly #sessions: SessionAccesses
  readonly #clock: Clock
  /** Nonce → expiry of its ticket; oldest first. */
  readonly #used = new Map<string, number>()

  constructor(sessions: SessionAccesses, clock: Clock) {
    this.#sessions = sessions
    this.#clock = clock
  }

  /** Uses up the ticket and returns the session and browser that it opens. */
  redeem(text: string, kind: Ticket['kind']): TicketAdmission {
    const access = this.#sessions.access(ticketSession(text) ?? '')
    const nowMs = this.#clock.now()
    const ticket = access && verifyTicket(text, access.ticketSecret, nowMs)
    if (!access || !ticket) throw refusedError('The ticket is not valid here, or has expired.')
    if (ticket.kind !== kind)
      throw refusedError(`The ticket is for ${ticket.kind}, not for ${kind}.`)
    if (ticket.epoch < access.epoch)
      throw refusedError('The ticket is from an earlier owner of the session.')
    if (this.#used.has(ticket.nonce)) throw refusedError('The ticket has already been used.')
    this.#remember(ticket, nowMs)
    return { sessionId: ticket.sessionId, browser: access.browser }
  }

  #remember({ nonce, expiresAtMs }: Ticket, nowMs: number): void {
    for (const [used, expiredMs] of this.#used) {
      if (expiredMs > nowMs) break
      this.#used.delete(used)
    }
    // A nonce must be kept until its ticket expires, or the ticket could be used twice; so new
    // tickets are refused when the memory is full.
    if (this.#used.size >= dataPortLimits.ticketsRememberedPerAgent) {
      throw new ServiceError('busy', 'Too many channels were opened in a short time; try again.')
    }
    this.#used.set(nonce, expiresAtMs)
  }
}

function refusedError(message: string): ServiceError {
  return new ServiceError('unauthorized', message)
}
