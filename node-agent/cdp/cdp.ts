/**
 * The agent's own CDP connection to a browser, over the debugging pipe, which is no socket of the
 * network. Calls fail when the pipe closes or the answer is late, so none stays pending.
 *
 * Everything happens in one CDP session of the browser, the agent's: when an agent takes the browser
 * over, it ends the session of the one before, and with it all that was attached and changed there.
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

/** How another agent has used the connection. */
export interface ConnectionBefore {
  /** {@link CdpPipe.agentSession} */
  readonly session: string
  /** How many agents have used it. */
  readonly turn: number
  /** The sessions of pages that showed a dialog. */
  readonly dialogs: readonly string[]
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
  #agentSession: string | undefined
  /** Set while rests of messages between another agent and the browser may arrive. */
  #isResuming = false
  /** The CDP sessions of pages that show a dialog; only the session that has seen it can close it. */
  readonly #dialogs = new Set<string>()
  /** Called with those sessions when they change. */
  onDialogs: (sessionIds: readonly string[]) => void = () => undefined
  /** Dialogs are closed as they open, as if there were none; only those of pages with `Page.enable` are seen. */
  closesDialogs = false

  constructor(out: Writable, into: Readable, clock: Clock) {
    this.clock = clock
    this.#out = out
    into.on('data', (chunk: Buffer) => this.#take(chunk))
    into.on('error', (error) => this.close(error.message))
    into.on('close', () => this.close('the browser closed its end'))
    out.on('error', (error) => this.close(error.message))
  }

  /** The session to be ended by an agent that takes the browser over. */
  get agentSession(): string | undefined {
    return this.#agentSession
  }

  /** Opens the agent's session, the first call on a new connection. */
  async open(timeoutMs: number): Promise<void> {
    const { sessionId } = await this.send('Target.attachToBrowserTarget', {}, { timeoutMs })
    this.#agentSession = sessionId
  }

  /**
   * The same for a connection that another agent has used. A message that it did not finish is
   * finished, and what the browser still says to it is not read. Its dialogs are dismissed: no other
   * session can close them, and they block their pages.
   */
  async resume({ session, turn, dialogs }: ConnectionBefore, timeoutMs: number): Promise<void> {
    this.#lastId = (turn % turnsMax) * callsPerTurn
    this.#isResuming = true
    this.#out.write('\0')
    await this.send('Browser.getVersion', {}, { timeoutMs })
    for (const sessionId of [...dialogs, ...this.#dialogs]) {
      const options = { sessionId, timeoutMs }
      await unlessRefused(this.send('Page.handleJavaScriptDialog', { accept: false }, options))
    }
    this.#dialogs.clear()
    // Refused if the agent before had begun to take it over when it ended.
    await unlessRefused(this.send('Target.detachFromTarget', { sessionId: session }, { timeoutMs }))
    this.#isResuming = false
    await this.open(timeoutMs)
  }

  send<M extends CdpMethod>(
    method: M,
    ...rest: CallArguments<M, [options?: CallOptions]>
  ): Promise<CdpResult<M>> {
    const [params = {}, { sessionId: given, timeoutMs = nodeAgentLimits.cdpCallMs } = {}] =
      rest as Loose
    const sessionId = given ?? this.#agentSession
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
      const message = messageIn(text)
      if (message) this.#read(message)
      else if (!this.#isResuming) return this.close('it sent something that is no message')
    }
    if (start === chunk.length) return
    this.#chunks.push(chunk.subarray(start))
    this.#bufferedBytes += chunk.length - start
    if (this.#bufferedBytes > cdpControlBytes) this.close('a message is too long')
  }

  #read(message: CdpAnswer | CdpEvent): void {
    if ('method' in message) {
      if (this.closesDialogs && this.#closeDialog(message)) return
      this.#watchDialogs(message)
      const { sessionId } = message
      const listeners = this.#listeners.get(this.#isOfBrowser(sessionId) ? '' : sessionId!) ?? []
      for (const listener of [...listeners]) listener(message)
      return
    }
    this.#settle(message.id, (call) => {
      if (message.error) call.reject(new CdpError(call.method, 'refused', message.error.message))
      else call.resolve(message.result)
    })
  }

  /** Whether it is about a dialog. A page is left, and nothing else is agreed to. */
  #closeDialog({ method, params, sessionId }: CdpEvent): boolean {
    if (method === 'Page.javascriptDialogClosed') return true
    if (method !== 'Page.javascriptDialogOpening') return false
    const accept = params.type === 'beforeunload'
    // Each session that hears of it answers, and a client may: what comes too late is refused, or
    // answers the page's next dialog. So an alert is not accepted either.
    this.send('Page.handleJavaScriptDialog', { accept }, { sessionId }).catch(() => undefined)
    return true
  }

  #watchDialogs({ method, sessionId }: CdpEvent): void {
    if (sessionId === undefined) return
    if (method === 'Page.javascriptDialogOpening') this.#dialogs.add(sessionId)
    else if (method !== 'Page.javascriptDialogClosed' || !this.#dialogs.delete(sessionId)) return
    if (!this.#isResuming) this.onDialogs([...this.#dialogs])
  }

  #isOfBrowser(sessionId: string | undefined): boolean {
    return sessionId === undefined || sessionId === this.#agentSession
  }

  #settle(id: number, how: (call: Call) => void): void {
    const call = this.#calls.get(id)
    if (!call) return
    this.#calls.delete(id)
    call.timer.cancel()
    how(call)
  }
}

async function unlessRefused(call: Promise<unknown>): Promise<void> {
  try {
    await call
  } catch (error) {
    if (!(error instanceof CdpError && error.kind === 'refused')) throw error
  }
}

/** Ids of calls must fit 31 bits, and answers to an earlier agent may still arrive. */
const callsPerTurn = 10_000_000
const turnsMax = 200

function messageIn(text: string): CdpAnswer | CdpEvent | undefined {
  try {
    return JSON.parse(text) as CdpAnswer | CdpEvent
  } catch {
    return undefined
  }
}

function lateError(method: string, timeoutMs: number): CdpError {
  return new CdpError(method, 'late', `no answer within ${timeoutMs} ms`)
}
