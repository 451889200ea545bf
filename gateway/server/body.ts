/**
 * A request's body: collected within a size limit, or streamed as it arrives; and parsing it as
 * JSON.
 */
import { Readable } from 'node:stream'
import { ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import { jsonDepth } from '../../proto/json/depth.ts'
import { serverLimits } from './limits.ts'

/** Flow control: pauses and resumes the client's sending. */
export interface Flow {
  pause(): void
  resume(): void
}

export class BodyReader {
  readonly #flow: Flow
  readonly #announcedBytes: number
  readonly #whole = deferred<Uint8Array>()
  readonly #drained = deferred<void>()
  #limitBytes: number = serverLimits.jsonBodyBytes
  #bytes = 0
  /**
   * Chunks that arrived before the body was asked for, or while the whole body is being collected.
   */
  #kept: Uint8Array[] = []
  #use: 'unknown' | 'whole' | 'stream' | 'none' = 'unknown'
  #stream: Readable | undefined
  #paused = false
  #gone = false
  #finished = false

  constructor(headers: ReadonlyMap<string, string>, flow: Flow) {
    this.#flow = flow
    // Most requests never ask for their body, so a failure to read it must not be an unhandled
    // rejection.
    this.#whole.promise.catch(() => {})
    this.#announcedBytes = Number(headers.get('content-length') ?? 0)
    if (this.#announcedBytes === 0 && !headers.has('transfer-encoding')) this.#finish()
  }

  /** True once the last byte has arrived. */
  get finished(): boolean {
    return this.#finished
  }

  push(chunk: Uint8Array, isLast: boolean): void {
    this.#bytes += chunk.byteLength
    if (this.#use !== 'none') this.#take(chunk)
    if (this.#isTooLargeToDrain(this.#bytes)) this.#drained.resolve()
    if (isLast) this.#finish()
  }

  abort(): void {
    this.#gone = true
    const left = new ServiceError('bad_request', 'The client left halfway through the body.')
    this.#whole.reject(left)
    if (!this.#finished) this.#stream?.destroy(left)
    this.#drained.resolve()
  }

  whole(limitBytes: number = serverLimits.jsonBodyBytes): Promise<Uint8Array> {
    this.#limitBytes = limitBytes
    if (this.#isTooLarge()) this.#refuse()
    if (this.#use === 'unknown') this.#use = 'whole'
    if (this.#finished) this.#whole.resolve(Buffer.concat(this.#kept))
    else this.#resume()
    return this.#whole.promise
  }

  stream(limitBytes: number): Readable {
    this.#limitBytes = limitBytes
    if (this.#isTooLarge()) throw this.#refuse()
    this.#use = 'stream'
    this.#stream = new Readable({
      highWaterMark: serverLimits.streamBufferBytes,
      read: () => this.#resume(),
      destroy: (error, done) => {
        this.#discard()
        done(error)
      },
    })
    // The reader gets the error; without a listener here it would be thrown after the reader has
    // left.
    this.#stream.on('error', () => {})
    for (const chunk of this.#kept) this.#stream.push(chunk)
    this.#kept = []
    if (this.#finished) this.#stream.push(null)
    return this.#stream
  }

  /**
   * Resolves when the whole body has arrived, or when it is too large to wait for; the unread rest
   * is discarded. A client that is answered while it still sends may lose the answer to a
   * connection reset.
   */
  drained(): Promise<void> {
    this.#discard()
    if (this.#isTooLargeToDrain(this.#announcedBytes)) this.#drained.resolve()
    return this.#drained.promise
  }

  #take(chunk: Uint8Array): void {
    const asked = this.#use !== 'unknown'
    if (asked && this.#isTooLarge()) {
      this.#refuse()
    } else if (chunk.byteLength === 0) {
      return
    } else if (this.#stream) {
      if (!this.#stream.push(chunk)) this.#pause()
    } else {
      this.#kept.push(chunk)
      // The reader may allow more than the limit of a JSON body, so the client is paused until it
      // reads.
      if (!asked && this.#bytes > serverLimits.jsonBodyBytes) this.#pause()
    }
  }

  #refuse(): ServiceError {
    const text = `The body may have ${this.#limitBytes} bytes at most.`
    const tooLarge = new ServiceError('too_large', text, { limit_bytes: this.#limitBytes })
    this.#whole.reject(tooLarge)
    this.#stream?.destroy(tooLarge)
    this.#discard()
    return tooLarge
  }

  /** Discards the bytes that have arrived, and all that follow. */
  #discard(): void {
    this.#use = 'none'
    this.#kept = []
    this.#resume()
  }

  #isTooLarge(): boolean {
    return Math.max(this.#bytes, this.#announcedBytes) > this.#limitBytes
  }

  #isTooLargeToDrain(bytes: number): boolean {
    return bytes > this.#limitBytes + serverLimits.bodyDrainBytes
  }

  #pause(): void {
    if (this.#paused || this.#finished || this.#gone) return
    this.#paused = true
    this.#flow.pause()
  }

  #resume(): void {
    if (!this.#paused || this.#gone) return
    this.#paused = false
    this.#flow.resume()
  }

  #finish(): void {
    this.#finished = true
    if (this.#use === 'whole') this.#whole.resolve(Buffer.concat(this.#kept))
    this.#stream?.push(null)
    this.#drained.resolve()
  }
}

interface Deferred<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (error: Error) => void
}

function deferred<T>(): Deferred<T> {
  let resolve!: (value: T) => void
  let reject!: (error: Error) => void
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })
const jsonType = /^application\/([a-z0-9.+-]+\+)?json\s*(;|$)/i

/** The JSON value of a body; undefined for an empty body, which needs no content type. */
export function parseJson(bytes: Uint8Array, contentType: string | undefined): unknown {
  if (bytes.byteLength === 0) return undefined
  if (contentType === undefined || !jsonType.test(contentType)) {
    throw new ServiceError(
      'unsupported_media_type',
      'A body must be JSON: send the header content-type: application/json.',
    )
  }
  if (bytes.includes(0)) throw badInputError('The body has a NUL byte in it.')
  if (jsonDepth(bytes) > limits.jsonDepth) {
    throw badInputError(`The body is nested more than ${limits.jsonDepth} levels deep.`)
  }
  const value = parse(decodeUtf8(bytes))
  const text = JSON.stringify(value)
  if (escapedNul.test(text)) throw badInputError('The body has a NUL character in it.')
  if (protoField.test(text))
    throw badInputError('No field may be called __proto__; give it another name.')
  return value
}

/** `\u0000` is an escape if an even number of backslashes stands before it. */
const escapedNul = /(?<!\\)(\\\\)*\\u0000/

/**
 * Copying an object silently drops such a field, which could be a secret or a property of a schema.
 * Within a string the quotes would be escaped.
 */
const protoField = /[{,]"__proto__":/

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    throw badInputError('The body is not valid UTF-8.', cause)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw badInputError(`The body is not valid JSON: ${(cause as Error).message}`, cause)
  }
}

function badInputError(message: string, cause?: unknown): ServiceError {
  return new ServiceError('bad_request', message, {}, cause)
}
