/**
 * Streams of server-sent events that keep open pages current. A stream ends with the sign-in of its
 * browser and with its key; the browser then reloads the page, which leads to the sign-in.
 */
import { PassThrough } from 'node:stream'
import { ServiceError } from '../../../proto/errors.ts'
import type { Clock, Timer } from '../../../runtime/lib/clock.ts'
import type { KeyValidity } from '../../routing/auth/key-validity.ts'
import { consoleLimits } from '../limits.ts'

/** The reader of a stream. */
export interface FeedReader {
  readonly keyId: string
  /** Wall-clock ms: the end of the sign-in. */
  readonly endsAtMs: number
}

/** `send` returns false while the browser reads too slowly: send the newest state later. */
export type SendEvent = (event: string, data: unknown) => boolean

export interface ConsoleFeedsDeps {
  readonly keyValidity: Pick<KeyValidity, 'isOver' | 'onRevoked'>
  readonly clock: Clock
}

export class ConsoleFeeds {
  readonly #deps: ConsoleFeedsDeps
  /** All open streams. `end` ends a stream; `keyId` is the key it was opened with. */
  readonly #open = new Map<PassThrough, { readonly keyId: string; readonly over: () => void }>()
  #unwatch: (() => void) | undefined

  constructor(deps: ConsoleFeedsDeps) {
    this.#deps = deps
  }

  get count(): number {
    return this.#open.size
  }

  /**
   * Opens a stream. `start` begins to send events and returns a function that stops it; `end` ends
   * the stream, and the browser then reconnects. Throws `rate_limited` if there are too many
   * streams.
   */
  open({ keyId, endsAtMs }: FeedReader, start: (send: SendEvent, end: () => void) => () => void) {
    if (this.#open.size >= consoleLimits.feeds) throw tooManyFeeds()
    const { clock, keyValidity } = this.#deps
    const stream = new PassThrough()
    const send: SendEvent = (event, data) => {
      if (stream.destroyed || stream.writableLength > consoleLimits.feedUnsentBytes) return false
      stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
      return true
    }
    const over = () => {
      send('over', {})
      stream.end()
    }
    this.#open.set(stream, { keyId, over })
    // Servers and proxies end a response that sends nothing for long.
    const heartbeat = new Heartbeat(clock, () => {
      if (clock.now() >= endsAtMs) over()
      else if (!stream.destroyed) stream.write(':\n\n')
    })
    stream.write('retry: 2000\n\n')
    const stop = start(send, () => void stream.end())
    stream.once('close', () => {
      stop()
      heartbeat.stop()
      this.#open.delete(stream)
    })
    this.#unwatch ??= keyValidity.onRevoked(() => this.#endRevoked())
    const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }
    return { status: 200, headers: { ...headers, 'x-accel-buffering': 'no' }, body: { stream } }
  }

  /** Ends all streams; browsers reconnect, to another gateway if there is one. */
  drain(): void {
    this.#unwatch?.()
    for (const stream of this.#open.keys()) stream.end()
  }

  #endRevoked(): void {
    for (const { keyId, over } of this.#open.values()) {
      if (this.#deps.keyValidity.isOver(keyId)) over()
    }
  }
}

class Heartbeat {
  readonly #clock: Clock
  readonly #do: () => void
  #timer: Timer

  constructor(clock: Clock, work: () => void) {
    this.#clock = clock
    this.#do = work
    this.#timer = this.#next()
  }

  stop(): void {
    this.#timer.cancel()
  }

  #next(): Timer {
    return this.#clock.timer(consoleLimits.feedBeatMs, () => {
      this.#timer = this.#next()
      this.#do()
    })
  }
}

function tooManyFeeds(): ServiceError {
  const text = 'Too many pages are receiving live updates. Reload the page to see changes.'
  return new ServiceError('rate_limited', text, { limit: consoleLimits.feeds })
}
