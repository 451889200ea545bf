/**
 * Requests between processes. At most once and unordered across subjects: what matters is
 * asked for and answered, or goes through the store. Implemented over NATS in `nats/`
 * and in memory for the simulation.
 */
export interface Bus {
  /** The longest request and the longest answer that are carried. */
  readonly messageBytes: number
  /**
   * Throws {@link NoResponders} when nobody serves the subject,
   * {@link BusTimeout} when the answer is late.
   */
  request(subject: string, payload: Uint8Array, timeoutMs: number): Promise<Uint8Array>
  /**
   * With `queue`, one member of the group gets each request. A handler that
   * rejects leaves the request unanswered.
   */
  serve(subject: string, handler: BusHandler, options?: { queue?: string }): BusService
}

/** Hearing what is published, without answering: a hint that may be lost. */
export interface Announcements {
  subscribe(subject: string, onMessage: () => void): BusService
}

export type BusHandler = (payload: Uint8Array, subject: string) => Promise<Uint8Array>

export interface BusService {
  stop(): void
}

export class NoResponders extends Error {
  constructor(subject: string) {
    super(`nobody serves ${subject}`)
    this.name = 'NoResponders'
  }
}

export class BusTimeout extends Error {
  constructor(subject: string, timeoutMs: number) {
    super(`no answer on ${subject} within ${timeoutMs} ms`)
    this.name = 'BusTimeout'
  }
}
