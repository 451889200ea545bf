/**
 * A single-use ticket for one connection to an agent, for bytes or for commands: `<payload>.<mac>`,
 * both base64url. The agent that holds the browser checks the MAC, the expiry, the epoch and that the
 * nonce was not used before. It is signed with the claim's own secret, so hosts share no key.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

export interface Ticket {
  readonly sessionId: string
  readonly kind: 'cdp' | 'http' | 'vnc' | 'files' | 'commands'
  readonly epoch: number
  /** Wall-clock ms. */
  readonly expiresAtMs: number
  readonly nonce: string
}

export function signTicket(ticket: Ticket, secret: string): string {
  const payload = Buffer.from(JSON.stringify(ticket)).toString('base64url')
  return `${payload}.${mac(payload, secret)}`
}

/** The session that a ticket names, unverified: it only selects the secret to verify with. */
export function ticketSession(text: string): string | undefined {
  return parse(text.split('.')[0] ?? '')?.sessionId
}

export function verifyTicket(text: string, secret: string, nowMs: number): Ticket | undefined {
  const [payload = '', signature = ''] = text.split('.')
  const expected = Buffer.from(mac(payload, secret))
  const given = Buffer.from(signature)
  if (expected.length !== given.length || !timingSafeEqual(expected, given)) return undefined
  const ticket = parse(payload)
  return ticket !== undefined && ticket.expiresAtMs > nowMs ? ticket : undefined
}

function mac(payload: string, secret: string): string {
  return createHmac('sha256', secret).update(payload).digest('base64url')
}

function parse(payload: string): Ticket | undefined {
  try {
    return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Ticket
  } catch {
    return undefined
  }
}
