/**
 * The connection of one request. Every way of ending it (the caller, silence, an endless answer)
 * closes the socket, and the reason is available afterwards.
 */
import type { Clock, Timer } from '../../../runtime/lib/clock.ts'
import { ModelFailure } from './model.ts'
import { ProviderRefused, providerRefusalOf } from './faults/refusal.ts'
import { taskRunLimits } from '../limits.ts'

/** The time limits of a request, and the clock. */
export interface CallTimeouts {
  readonly clock: Clock
  readonly silenceMs: number
  readonly callMs: number
}

export interface ModelConnectionOptions extends CallTimeouts {
  readonly label: string
  /** The task's signal: its abort is not a failure of the model. */
  readonly caller: AbortSignal
  readonly fetch: typeof globalThis.fetch
  readonly headers: Readonly<Record<string, string>>
  /** Empty: no header is sent. */
  readonly key: string
}

/** Headers that the SDK may send; it would add others from this process's environment. */
const sentHeaders = ['accept', 'content-type', 'user-agent'] as const

export class ModelConnection {
  readonly #options: ModelConnectionOptions
  readonly #end = new AbortController()
  readonly #timers: Timer[] = []
  #heardMs: number
  #failure: Error | undefined
  #hasStarted = false

  constructor(options: ModelConnectionOptions) {
    this.#options = options
    this.#heardMs = options.clock.monotonic()
    options.caller.addEventListener('abort', this.#hangUp, { once: true })
    if (options.caller.aborted) this.#hangUp()
    this.#timers.push(options.clock.timer(options.callMs, () => this.#takesTooLong()))
    this.#watchSilence(options.silenceMs)
  }

  get signal(): AbortSignal {
    return this.#end.signal
  }
  /** True if an answer has begun. */
  get hasStarted(): boolean {
    return this.#hasStarted
  }

  /**
   * Throws the reason why the connection was ended, if it was; the resulting errors are less
   * precise.
   */
  check(): void {
    this.#options.caller.throwIfAborted()
    if (this.#failure) throw this.#failure
  }

  close(): void {
    this.#options.caller.removeEventListener('abort', this.#hangUp)
    for (const timer of this.#timers.splice(0)) timer.cancel()
    this.#end.abort()
  }

  /** Replaces the global `fetch` in the SDK. */
  readonly fetch = async (
    input: Parameters<typeof fetch>[0],
    init: Parameters<typeof fetch>[1],
  ): Promise<Response> => {
    const response = await this.#options.fetch(input, {
      ...init,
      headers: this.#headersOf(new Headers(init?.headers)),
      redirect: 'manual',
    })
    this.#noteActivity()
    this.#hasStarted = response.ok
    if (response.status >= 300 && response.status < 400) this.#refuseRedirect(response)
    if (!response.ok) return this.#refuse(response)
    if (/\btext\/html\b/.test(response.headers.get('content-type') ?? ''))
      this.#refusePage(response)
    if (!response.body) return response
    const { status, headers } = response
    return new Response(response.body.pipeThrough(this.#meter()), { status, headers })
  }

  #headersOf(given: Headers): Headers {
    const headers = new Headers(this.#options.headers)
    for (const name of sentHeaders) {
      const value = given.get(name)
      if (value !== null) headers.set(name, value)
    }
    if (this.#options.key !== '') headers.set('authorization', `Bearer ${this.#options.key}`)
    return headers
  }

  readonly #hangUp = (): void => this.#end.abort()

  #fail(failure: Error): never {
    this.#failure ??= failure
    this.#end.abort()
    throw this.#failure
  }

  #noteActivity(): void {
    this.#heardMs = this.#options.clock.monotonic()
  }

  /** One timer that checks the time since the last byte, instead of a new timer per byte. */
  #watchSilence(ms: number): void {
    const { clock, silenceMs, label } = this.#options
    const timer = clock.timer(ms, () => {
      const leftMs = silenceMs - (clock.monotonic() - this.#heardMs)
      if (leftMs > 0) return this.#watchSilence(leftMs)
      this.#giveUp(`The model of ${label} sent nothing for ${seconds(silenceMs)}.`)
    })
    this.#timers[1] = timer
  }

  #takesTooLong(): void {
    const { label, callMs } = this.#options
    this.#giveUp(`The model of ${label} did not finish its answer within ${seconds(callMs)}.`)
  }

  #giveUp(message: string): void {
    this.#failure ??= new ModelFailure('stalled', message)
    this.#end.abort()
  }

  /** Redirects are refused, because a key must not be sent elsewhere. */
  #refuseRedirect(response: Response): never {
    const to = response.headers.get('location') ?? ''
    const where = URL.canParse(to) ? ` to ${new URL(to).origin}` : ''
    return this.#fail(
      new ModelFailure(
        'rejected',
        `The base URL of ${this.#options.label} redirects${where} (${response.status}). A credential ` +
          'is not sent after a redirect: give the final address as base URL.',
      ),
    )
  }

  #refusePage({ status }: Response): never {
    return this.#fail(
      new ModelFailure(
        'rejected',
        `The base URL of ${this.#options.label} answered with a web page (${status}), not as an ` +
          'API of models does. Check the base URL; it often ends in /v1.',
      ),
    )
  }

  async #refuse(response: Response): Promise<never> {
    const text = await beginningOf(response, taskRunLimits.modelRefusalBytes)
    const nowMs = this.#options.clock.now()
    return this.#fail(
      new ProviderRefused(providerRefusalOf(response.status, response.headers, text, nowMs)),
    )
  }

  /** Limits the whole answer and each event before anything is stored. */
  #meter(): TransformStream<Uint8Array, Uint8Array> {
    let bytes = 0
    let eventBytes = 0
    let lineBytes = 0
    return new TransformStream({
      transform: (chunk, controller) => {
        this.#noteActivity()
        bytes += chunk.length
        // An event ends with an empty line, which may contain a carriage return.
        for (let from = 0; from < chunk.length;) {
          const end = chunk.indexOf(0x0a, from)
          const next = end === -1 ? chunk.length : end + 1
          lineBytes += next - from
          eventBytes += next - from
          if (end !== -1) {
            if (lineBytes <= 2) eventBytes = 0
            lineBytes = 0
          }
          from = next
        }
        if (bytes > taskRunLimits.modelAnswerBytes || eventBytes > taskRunLimits.modelEventBytes) {
          this.#tooMuch()
        }
        controller.enqueue(chunk)
      },
    })
  }

  #tooMuch(): never {
    return this.#fail(
      new ModelFailure(
        'malformed',
        `The answer of ${this.#options.label} exceeded its limit and was cut off.`,
      ),
    )
  }
}

const seconds = (ms: number): string => `${Math.round(ms / 1_000)} seconds`

/** The beginning of an error response, up to a limit. */
async function beginningOf(response: Response, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= bytesMax) break
  }
  return Buffer.concat(chunks).subarray(0, bytesMax).toString()
}
