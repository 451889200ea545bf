/**
 * Requests between processes over NATS. Messages published while the connection is down are lost
 * silently, so everything important is a request with a deadline or an acknowledged write.
 */
import { Events, type Msg, type NatsConnection } from 'nats'
import type { Logger } from 'pino'
import {
  BusTimeout,
  NoResponders,
  type Bus,
  type BusHandler,
  type BusService,
  type MessageSubscriber,
} from '../bus.ts'
import { sleep, systemClock, withDeadline } from '../../lib/clock.ts'
import { messageBytesOf } from './connection.ts'
import { busError } from './errors.ts'
import { storeLimits } from '../limits.ts'

/**
 * A request or answer that is lost with a connection ends as {@link BusTimeout}, as soon as the
 * connection is lost: it may have been served, and only the caller knows whether to repeat it. A
 * request that is made while the connection is down is sent when it is back.
 */
export class NatsBus implements Bus, MessageSubscriber {
  readonly #nc: NatsConnection
  readonly #log: Logger | undefined
  /** Reject requests in flight. */
  readonly #inFlight = new Set<() => void>()
  /** Set while the connection is down. */
  #isBack: Promise<void> | undefined
  #backAtMs = -Infinity

  constructor(nc: NatsConnection, log?: Logger) {
    this.#nc = nc
    this.#log = log
    void this.#follow()
  }

  get messageBytes(): number {
    return messageBytesOf(this.#nc)
  }

  async request(subject: string, payload: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    const endMs = systemClock.monotonic() + timeoutMs
    const leftMs = () => Math.max(1, endMs - systemClock.monotonic())
    const late = () => new BusTimeout(subject, timeoutMs)
    for (;;) {
      if (this.#isBack) await withDeadline(systemClock, leftMs(), this.#isBack, late)
      try {
        return await this.#send(subject, payload, leftMs(), late)
      } catch (error) {
        const failure = busError(error, subject, timeoutMs)
        if (!(failure instanceof NoResponders) || !this.#isJustBack(endMs)) throw failure
      }
      // The process that serves it has lost its connection too, and is about to be back.
      await sleep(systemClock, storeLimits.natsServedAgainMs)
    }
  }

  serve(subject: string, handler: BusHandler, options: { queue?: string } = {}): BusService {
    // A callback instead of an iterator, because an iterator queues without limit when its reader
    // is slow.
    const subscription = this.#nc.subscribe(subject, {
      ...options,
      callback: (error, message) => {
        if (error) this.#log?.error({ err: error, subject }, 'NATS ended a subscription')
        else void this.#answer(handler, message)
      },
    })
    return { stop: () => subscription.unsubscribe() }
  }

  subscribe(subject: string, onMessage: () => void): BusService {
    const subscription = this.#nc.subscribe(subject, {
      callback: (error) => {
        if (error) this.#log?.error({ err: error, subject }, 'NATS ended a subscription')
        // In a separate microtask: an exception in here would silently end the client's reader.
        else queueMicrotask(onMessage)
      },
    })
    return { stop: () => subscription.unsubscribe() }
  }

  async #send(subject: string, payload: Uint8Array, timeout: number, late: () => BusTimeout) {
    let lose = () => {}
    const lost = new Promise<never>((_, reject) => (lose = () => reject(late())))
    this.#inFlight.add(lose)
    try {
      const answer = this.#nc.request(subject, payload, { timeout })
      return (await Promise.race([answer, lost])).data
    } finally {
      this.#inFlight.delete(lose)
    }
  }

  /** Until the other processes, too, have had the time to connect again. */
  #isJustBack(endMs: number): boolean {
    const nowMs = systemClock.monotonic()
    return nowMs < this.#backAtMs + storeLimits.natsAllBackMs && nowMs < endMs
  }

  async #follow(): Promise<void> {
    let back = () => {}
    for await (const { type } of this.#nc.status()) {
      if (type === Events.Disconnect) {
        this.#isBack ??= new Promise((resolve) => (back = resolve))
        for (const lose of this.#inFlight) lose()
      } else if (type === Events.Reconnect) {
        this.#isBack = undefined
        this.#backAtMs = systemClock.monotonic()
        back()
      }
    }
    // The connection is closed, and each request fails at once.
    this.#isBack = undefined
    back()
  }

  async #answer(handler: BusHandler, message: Msg): Promise<void> {
    try {
      message.respond(await handler(message.data, message.subject))
    } catch (error) {
      this.#log?.error({ err: error, subject: message.subject }, 'a request was left unanswered')
    }
  }
}
