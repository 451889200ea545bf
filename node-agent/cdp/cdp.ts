/**
 * The agent's own CDP connection to a browser, over the debugging pipe. It needs no socket, no
 * other process can open it, and Chromium exits when it closes. Calls fail when the pipe closes or
 * the answer is late, so none stays pending.
 */
import type { Readable, Writable } from 'node:stream'
import type { Clock, Timer } from '../../runtime/lib/clock.ts'
import type { CallArguments, CdpEvent, CdpMethod, CdpResult } from './protocol.ts'
import { nodeAgentLimits } from '../limits.ts'
import { MiB } from '../../proto/units.ts'

/** A clipboard of `clipboardBytes` with six bytes each in JSON; a screenshot is smaller. */
const cdpControlBytes = 64 * MiB

export class CdpError extends Error {
  /** The browser refused the call, did not answer in time, or is gone. */
  readonly kind: 'refused' | 'late' | 'closed'

  constructor(method: string, kind: CdpError['kind'], why: string) {
    super(`${method}: ${why}`)
    this.name = 'CdpError'
    this.kind = kind
  }
}

interface CdpAnswer {
  readonly id: number
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

interface Call {
  readonly method: string
  readonly timer: Timer
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

export interface CallOptions {
  readonly sessionId?: string | undefined
  readonly timeoutMs?: number | undefined
}

type Loose = readonly [params?: object, options?: CallOptions]

const separator = 0

export class CdpPipe {
  /** The clock of everything that uses this connection. */
  readonly clock: Clock
  readonly #out: Writable
  readonly #calls = new Map<number, Call>()
  /** By CDP session; listeners of the browser itself are under ''. */
  readonly #listeners = new Map<string, Set<(event: CdpEvent) => void>>()
  #lastId = 0
  #chunks: Buffer[] = []
  #bufferedBytes = 0
  #closed: string | undefined

  constructor(out: Writable, into: Readable, clock: Clock) {
    this.clock = clock
    this.#out = out
    into.on('data', (chunk: Buffer) => this.#take(chunk))
    into.on('error', (error) => this.close(error.message))
    into.on('close', () => this.close('the browser closed its end'))
    out.on('error', (error) => this.close(error.message))
  }

  send<M extends CdpMethod>(
    method: M,
    ...rest: CallArguments<M, [options?: CallOptions]>
  ): Promise<CdpResult<M>> {
    const [params = {}, { sessionId, timeoutMs = nodeAgentLimits.cdpCallMs } = {}] = rest as Loose
    return new Promise<CdpResult<M>>((resolve, reject) => {
      if (this.#closed !== undefined) return reject(new CdpError(method, 'closed', this.#closed))
      const id = ++this.#lastId
      const timer = this.clock.timer(timeoutMs, () =>
        this.#settle(id, (call) => call.reject(lateError(method, timeoutMs))),
      )
      this.#calls.set(id, { method, timer, resolve: resolve as Call['resolve'], reject })
      this.#out.write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
    })
  }

  /**
   * Listens to the events of one session, or of the browser itself; returns a function that
   * unsubscribes.
   */
  onEvent(listener: (event: CdpEvent) => void, sessionId = ''): () => void {
    const listeners = this.#listeners.get(sessionId) ?? new Set()
    this.#listeners.set(sessionId, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) this.#listeners.delete(sessionId)
    }
  }

  close(why: string): void {
    if (this.#closed !== undefined) return
    this.#closed = why
    for (const id of [...this.#calls.keys()]) {
      this.#settle(id, (call) => call.reject(new CdpError(call.method, 'closed', why)))
    }
    this.#chunks = []
    this.#out.destroy()
  }

  #take(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(separator); end !== -1; end = chunk.indexOf(separator, start)) {
      this.#chunks.push(chunk.subarray(start, end))
      const text = Buffer.concat(this.#chunks).toString('utf8')
      this.#chunks = []
      this.#bufferedBytes = 0
      start = end + 1
      this.#read(JSON.parse(text) as CdpAnswer | CdpEvent)
    }
    if (start === chunk.length) return
    this.#chunks.push(chunk.subarray(start))
    this.#bufferedBytes += chunk.length - start
    if (this.#bufferedBytes > cdpControlBytes) this.close('a message is too long')
  }

  #read(message: CdpAnswer | CdpEvent): void {
    if ('method' in message) {
      const listeners = this.#listeners.get(message.sessionId ?? '') ?? []
      for (const listener of [...listeners]) listener(message)
      return
    }
    this.#settle(message.id, (call) => {
      if (message.error) call.reject(new CdpError(call.method, 'refused', message.error.message))
      else call.resolve(message.result)
    })
  }

  #settle(id: number, how: (call: Call) => void): void {
    const call = this.#calls.get(id)
    if (!call) return
    this.#calls.delete(id)
    call.timer.cancel()
    how(call)
  }
}

function lateError(method: string, timeoutMs: number): CdpError {
  return new CdpError(method, 'late', `no answer within ${timeoutMs} ms`)
}
