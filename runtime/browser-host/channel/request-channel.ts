/** Requests to the agent of a session's browser, over a connection to the agent's data port. */
import { BusTimeout } from '../../store/bus.ts'
import type { Clock, Timer } from '../../lib/clock.ts'
import type { ByteStream, StreamListener } from './channel.ts'
import { dataUrl, type DataAccess } from './data-url.ts'
import { encodeFrame, FrameDecoder } from './frames.ts'
import { dialUpgrade } from './stream.ts'

/** The connection broke before the answer came: whether the request was carried out is unknown. */
class AnswerLost extends BusTimeout {
  constructor(subject: string, timeoutMs: number) {
    super(subject, timeoutMs)
    this.message = `the connection for ${subject} broke before the answer came`
    this.name = 'AnswerLost'
  }
}

interface Pending {
  readonly timer: Timer
  readonly resolve: (answer: Uint8Array) => void
  readonly reject: (lost: AnswerLost) => void
  readonly lost: () => AnswerLost
}

interface RequestChannelOptions {
  /** Maximum size of an answer. */
  readonly messageBytes: number
  /** Called once when the connection breaks, not after `close`. */
  readonly onLost: () => void
}

export class RequestChannel implements StreamListener {
  readonly #clock: Clock
  readonly #onLost: () => void
  readonly #reader: FrameDecoder
  readonly #pending = new Map<number, Pending>()
  #stream!: ByteStream
  #exchanges = 0

  private constructor(clock: Clock, { messageBytes, onLost }: RequestChannelOptions) {
    this.#clock = clock
    this.#reader = new FrameDecoder(messageBytes)
    this.#onLost = onLost
  }

  /** Throws {@link DialFailed}. */
  static async dial(access: DataAccess, options: RequestChannelOptions): Promise<RequestChannel> {
    const channel = new RequestChannel(access.clock, options)
    const url = dataUrl(access, 'commands', '/')
    channel.#stream = await dialUpgrade(url, 'troupe-commands', channel)
    channel.#stream.resume()
    return channel
  }

  /** Throws {@link BusTimeout} as a bus does, and {@link AnswerLost} if the connection breaks. */
  request(subject: string, message: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    const exchange = (this.#exchanges = (this.#exchanges + 1) >>> 0)
    return new Promise((resolve, reject) => {
      const timer = this.#clock.timer(timeoutMs, () => {
        this.#pending.delete(exchange)
        reject(new BusTimeout(subject, timeoutMs))
      })
      const lost = () => new AnswerLost(subject, timeoutMs)
      this.#pending.set(exchange, { timer, resolve, reject, lost })
      this.#stream.send(encodeFrame({ exchange, message }))
    })
  }

  close(): void {
    this.#stream.close()
    this.#loseAll()
  }

  received(data: Uint8Array): void {
    try {
      for (const { exchange, message } of this.#reader.read(data)) this.#answered(exchange, message)
    } catch {
      // After a message that is too long, the next frame's position is unknown.
      this.#stream.close()
      this.lost()
    }
  }

  lost(): void {
    this.#onLost()
    this.#loseAll()
  }

  #answered(exchange: number, answer: Uint8Array): void {
    const asked = this.#pending.get(exchange)
    // Its deadline has passed.
    if (!asked) return
    this.#pending.delete(exchange)
    asked.timer.cancel()
    asked.resolve(answer)
  }

  #loseAll(): void {
    for (const { timer, reject, lost } of this.#pending.values()) {
      timer.cancel()
      reject(lost())
    }
    this.#pending.clear()
  }
}
