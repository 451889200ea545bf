/**
 * Checks the tickets of byte channels: signed with the claim's secret, fresh, of a current epoch,
 * and used once.
 */
import { ServiceError } from '../proto/errors.ts'
import { limits } from '../proto/limits.ts'
import { ticketSession, verifyTicket, type Ticket } from '../proto/ticket.ts'
import type { Clock } from '../runtime/clock.ts'
import type { SessionBrowser } from './sessions.ts'

/** What a session's tickets are checked against. */
export interface SessionAccess {
  readonly ticketSecret: string
  readonly epoch: number
  readonly browser: OpenedBrowser
}

/** What of a browser bytes may come from and go to. */
type OpenedBrowser = Pick<SessionBrowser, 'devtools' | 'display' | 'scratch' | 'files'>

/** What a good ticket opens. */
export interface Admission {
  readonly sessionId: string
  readonly browser: OpenedBrowser
}

export interface Accesses {
  access(sessionId: string): SessionAccess | undefined
}

export class Tickets {
  readonly #sessions: Accesses
  readonly #clock: Clock
  /** Nonce → when its ticket expires; oldest first. */
  readonly #used = new Map<string, number>()

  constructor(sessions: Accesses, clock: Clock) {
    this.#sessions = sessions
    this.#clock = clock
  }

  /** Takes the ticket and answers which session's browser it opens. */
  redeem(text: string, kind: Ticket['kind']): Admission {
    const access = this.#sessions.access(ticketSession(text) ?? '')
    const nowMs = this.#clock.now()
    const ticket = access && verifyTicket(text, access.ticketSecret, nowMs)
    if (!access || !ticket) throw refused('The ticket is not valid here, or no longer.')
    if (ticket.kind !== kind) throw refused(`The ticket is for ${ticket.kind}, not for ${kind}.`)
    if (ticket.epoch < access.epoch) throw refused('The ticket is from an owner before the last.')
    if (this.#used.has(ticket.nonce)) throw refused('The ticket has been used.')
    this.#remember(ticket, nowMs)
    return { sessionId: ticket.sessionId, browser: access.browser }
  }

  #remember({ nonce, expiresAtMs }: Ticket, nowMs: number): void {
    for (const [used, expiredMs] of this.#used) {
      if (expiredMs > nowMs) break
      this.#used.delete(used)
    }
    // Forgetting one that is still good would let it in twice, so a full memory lets nobody in.
    if (this.#used.size >= limits.ticketsRememberedPerAgent) {
      throw new ServiceError('busy', 'Too many channels were opened just now; try again.')
    }
    this.#used.set(nonce, expiresAtMs)
  }
}

function refused(message: string): ServiceError {
  return new ServiceError('unauthorized', message)
}
