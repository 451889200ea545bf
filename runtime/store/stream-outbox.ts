/** A queue of messages for a stream, sent in order, so that callers do not wait for the store. */
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { encode } from '../../proto/codec.ts'
import { sleep, settleWithin, type Clock } from '../lib/clock.ts'
import type { SharedLog } from './store.ts'

const limits = {
  /** Maximum number of waiting messages; further ones are dropped, which is logged. */
  waiting: 10_000,
  retryMs: 250,
  /** How long `close` keeps sending. */
  drainMs: 2_000,
} as const

export interface StreamOutboxOptions {
  readonly stream: Pick<SharedLog, 'add'>
  readonly clock: Clock
  readonly log: Logger
  /** The kind of messages, for the log, such as `notes`. */
  readonly what: string
  /** Absent: msgpack. */
  readonly encode?: (message: unknown) => Uint8Array
}

interface PendingEntry {
  /** Distinguishes a repeat from another message with the same content. */
  readonly id: string
  readonly subject: string
  readonly data: Uint8Array
}

export class StreamOutbox {
  readonly #options: StreamOutboxOptions
  readonly #queue: PendingEntry[] = []
  #lost = 0
  #sending: Promise<void> | undefined
  readonly #closed = new AbortController()

  constructor(options: StreamOutboxOptions) {
    this.#options = options
  }

  /** Number of messages dropped because the queue was full. */
  get lost(): number {
    return this.#lost
  }

  get waiting(): number {
    return this.#queue.length
  }

  /** A message whose `id` was sent in the last two minutes is dropped by the stream. */
  send(subject: string, message: unknown, id: string = randomUUID()): void {
    if (this.#queue.length >= limits.waiting || this.#closed.signal.aborted) {
      const { log, what } = this.#options
      if (this.#lost++ === 0)
        log.error({ what }, 'audit: the store is unavailable and messages were lost')
      return
    }
    const { encode: toBytes = encode } = this.#options
    this.#queue.push({ id, subject, data: toBytes(message) })
    this.#sending ??= this.#sendAll().finally(() => (this.#sending = undefined))
  }

  /** Sends the waiting messages, for a limited time. */
  async close(): Promise<void> {
    const { clock } = this.#options
    if (this.#sending) await settleWithin(clock, limits.drainMs, this.#sending)
    this.#closed.abort()
  }

  async #sendAll(): Promise<void> {
    const { stream, clock, log, what } = this.#options
    const { signal } = this.#closed
    for (let entry; (entry = this.#queue[0]) && !signal.aborted;) {
      try {
        await stream.add(entry.subject, entry.data, entry.id)
        this.#queue.shift()
      } catch (error) {
        log.warn(
          { err: error, what, waiting: this.waiting },
          'audit: the write failed and will be retried',
        )
        await sleep(clock, limits.retryMs, signal)
      }
    }
  }
}
