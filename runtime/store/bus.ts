/**
 * Requests between processes: at most once, and unordered across subjects. Anything that must not
 * get lost is requested and answered, or goes through the store. Implemented over NATS in `nats/`
 * and in memory for the simulation.
 */
export interface Bus {
  /** The maximum size of a request or an answer. */
  readonly messageBytes: number
  /**
   * Throws {@link NoResponders} if the subject is not served, {@link BusTimeout} if the answer is
   * late.
   */
  request(subject: string, payload: Uint8Array, timeoutMs: number): Promise<Uint8Array>
  /**
   * With `queue`, one member of the group gets each request. A request whose handler rejects stays
   * unanswered.
   */
  serve(subject: string, handler: BusHandler, options?: { queue?: string }): BusService
}

/** Subscriptions without answers: hints that may be lost. */
export interface MessageSubscriber {
  subscribe(subject: string, onMessage: () => void): BusService
}

export type BusHandler = (payload: Uint8Array, subject: string) => Promise<Uint8Array>

export interface BusService {
  stop(): void
}

export class NoResponders extends Error {
  constructor(subject: string) {
    super(`no process serves ${subject}`)
    this.name = 'NoResponders'
  }
}

export class BusTimeout extends Error {
  constructor(subject: string, timeoutMs: number) {
    super(`no answer on ${subject} within ${timeoutMs} ms`)
    this.name = 'BusTimeout'
  }
}
