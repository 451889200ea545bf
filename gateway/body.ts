/** Collects a request's body as it arrives, within bounds, and reads JSON out of it. */
import { ServiceError } from '../proto/errors.ts'
import { limits } from '../proto/limits.ts'

const tooLarge = () =>
  new ServiceError('too_large', `The body may have ${limits.jsonBodyBytes} bytes at most.`, {
    limit_bytes: limits.jsonBodyBytes,
  })

export class BodyReader {
  readonly #chunks: Uint8Array[] = []
  readonly #whole = deferred<Uint8Array>()
  readonly #swallowed = deferred<void>()
  #bytes = 0
  #finished = false

  constructor(headers: ReadonlyMap<string, string>) {
    // Most requests never ask for their body; an unasked failure is nobody's.
    this.#whole.promise.catch(() => {})
    const length = Number(headers.get('content-length') ?? 0)
    if (length === 0 && !headers.has('transfer-encoding')) this.#finish()
    if (length > limits.jsonBodyBytes) this.#whole.reject(tooLarge())
    if (length > limits.bodySwallowBytes) this.#swallowed.resolve()
  }

  /** True once the last byte has arrived. */
  get finished(): boolean {
    return this.#finished
  }

  /** `chunk` is only valid until this returns. */
  push(chunk: Uint8Array, isLast: boolean): void {
    this.#bytes += chunk.byteLength
    if (this.#bytes > limits.jsonBodyBytes) {
      this.#chunks.length = 0
      this.#whole.reject(tooLarge())
    } else if (chunk.byteLength > 0) {
      this.#chunks.push(chunk.slice())
    }
    if (this.#bytes > limits.bodySwallowBytes) this.#swallowed.resolve()
    if (isLast) this.#finish()
  }

  abort(): void {
    this.#whole.reject(new ServiceError('bad_request', 'The client left halfway through the body.'))
    this.#swallowed.resolve()
  }

  whole(): Promise<Uint8Array> {
    return this.#whole.promise
  }

  /**
   * Resolves when the body is over, or so large that waiting is no use. A client that is answered
   * while it still sends may lose the answer to the reset of its connection.
   */
  swallowed(): Promise<void> {
    return this.#swallowed.promise
  }

  #finish(): void {
    this.#finished = true
    this.#whole.resolve(Buffer.concat(this.#chunks))
    this.#swallowed.resolve()
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

/** The JSON value of a body; undefined for an empty one, whatever its content type. */
export function parseJson(bytes: Uint8Array, contentType: string | undefined): unknown {
  if (bytes.byteLength === 0) return undefined
  if (contentType === undefined || !jsonType.test(contentType)) {
    throw new ServiceError(
      'unsupported_media_type',
      'A body must be JSON: send the header content-type: application/json.',
    )
  }
  if (bytes.includes(0)) throw bad('The body has a NUL byte in it.')
  if (jsonDepth(bytes) > limits.jsonDepth) {
    throw bad(`The body is nested more than ${limits.jsonDepth} levels deep.`)
  }
  const value = parse(decodeUtf8(bytes))
  if (escapedNul.test(JSON.stringify(value))) throw bad('The body has a NUL character in it.')
  return value
}

/** An even number of backslashes before `\u0000` leaves it an escape. */
const escapedNul = /(?<!\\)(\\\\)*\\u0000/

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    throw bad('The body is not valid UTF-8.', cause)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw bad(`The body is not valid JSON: ${(cause as Error).message}`, cause)
  }
}

function bad(message: string, cause?: unknown): ServiceError {
  return new ServiceError('bad_request', message, {}, cause)
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = [
  ...Buffer.from('"\\{}[]'),
]

/**
 * How deeply objects and arrays are nested, told from the bytes,
 * before anything recursive sees them.
 */
function jsonDepth(bytes: Uint8Array): number {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]
    if (inString) {
      if (byte === backslash) i++
      else if (byte === quote) inString = false
    } else if (byte === quote) inString = true
    else if (byte === openBrace || byte === openBracket) deepest = Math.max(deepest, ++depth)
    else if (byte === closeBrace || byte === closeBracket) depth--
  }
  return deepest
}
