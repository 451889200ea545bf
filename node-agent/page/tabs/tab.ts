/**
 * One page of the browser, attached to as long as it exists. Every call has a deadline, and ends at
 * once if the page closes, crashes or shows a dialog, which blocks its thread. Only the domain Page
 * is enabled, which sends a few events per navigation and is needed to notice dialogs.
 */
import { failureText } from '../../../runtime/lib/text/failure-text.ts'
import { ServiceError } from '../../../proto/errors.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import type { PageFunction } from '../../../runtime/browser-host/page-functions.ts'
import { CdpError, type CallOptions, type CdpPipe } from '../../cdp/cdp.ts'
import type {
  CallArguments,
  CdpEvent,
  CdpEventName,
  CdpEventParams,
  CdpMethod,
  CdpParams,
  CdpResult,
} from '../../cdp/protocol.ts'
import { callFunction, isChromiumError, valuesOf, worldIn, type SendCall } from './calls.ts'
import { pageLimits } from '../limits.ts'

export interface PageDialog {
  readonly type: 'alert' | 'confirm' | 'prompt' | 'beforeunload'
  readonly message: string
}

export interface Departure {
  /** Where it leads. */
  readonly host: string
  /** Monotonic. */
  readonly sinceMs: number
}

export class Tab {
  /** The target's id, which is also the main frame's. */
  readonly id: string
  readonly #cdp: CdpPipe
  readonly #session: string
  readonly #interrupts = new Set<(why: ServiceError) => void>()
  readonly #listeners = new Set<() => void>()
  readonly #send: SendCall = (method, ...rest) => this.send(method, ...rest)
  #dialog: PageDialog | undefined
  #ended: ServiceError | undefined
  #crashed = false
  #departure: Departure | undefined
  #enabled = false
  /** The isolated world of our functions, with which the page cannot interfere. */
  #world: number | undefined

  private constructor(cdp: CdpPipe, id: string, session: string) {
    this.#cdp = cdp
    this.id = id
    this.#session = session
    this.on('Page.javascriptDialogOpening', (params) => this.#opened(params))
    this.on('Page.javascriptDialogClosed', () => (this.#dialog = undefined))
    this.on('Page.frameNavigated', (params) => this.#navigated(params))
    this.on('Page.frameStartedNavigating', (params) => this.#departs(params))
    this.on('Page.frameStoppedLoading', ({ frameId }) => {
      if (frameId === this.id) this.#departure = undefined
    })
    this.#listeners.add(cdp.onEvent((event) => this.#ofBrowser(event)))
  }

  static async attach(cdp: CdpPipe, id: string): Promise<Tab> {
    const { sessionId } = await cdp.send('Target.attachToTarget', {
      targetId: id,
      flatten: true,
    })
    const tab = new Tab(cdp, id, sessionId)
    await tab.enable()
    return tab
  }

  /**
   * Without this the page sends no events. If the page is busy, or shows a dialog opened earlier,
   * it is tried again after a navigation; until then callers get timeouts.
   */
  async enable(): Promise<void> {
    if (this.#enabled) return
    try {
      await this.call('Page.enable', {}, pageLimits.tabEnableMs)
      this.#enabled = true
    } catch (error) {
      if (!(error instanceof ServiceError && error.type === 'timeout')) throw error
    }
  }

  /** The context id of our world in the main frame, if it is known; a navigation replaces it. */
  get knownWorld(): number | undefined {
    return this.#world
  }

  get clock(): Clock {
    return this.#cdp.clock
  }

  get dialog(): PageDialog | undefined {
    return this.#dialog
  }

  /**
   * The navigation that waits for a server. Chromium gives the page no calls meanwhile, but shows it and
   * passes input on to it.
   */
  get departure(): Departure | undefined {
    return this.#departure
  }

  get ended(): boolean {
    return this.#ended !== undefined
  }

  /** The session of the main frame, and of other frames in the same process. */
  get session(): string {
    return this.#session
  }

  /**
   * Listens to an event of this page or of a frame's session; returns a function that unsubscribes.
   */
  on<E extends CdpEventName>(
    method: E,
    listener: (params: CdpEventParams<E>) => void,
    session = this.#session,
  ): () => void {
    const onEvent = (event: CdpEvent) => {
      if (event.method === method) listener(event.params as CdpEventParams<E>)
    }
    const off = this.#cdp.onEvent(onEvent, session)
    this.#listeners.add(off)
    return () => {
      this.#listeners.delete(off)
      off()
    }
  }

  /**
   * Called when a dialog opens or the page crashes or closes; returns a function that unsubscribes.
   */
  onInterrupt(listener: (why: ServiceError) => void): () => void {
    this.#interrupts.add(listener)
    return () => this.#interrupts.delete(listener)
  }

  /** Calls the page or one of its frames; refused or interrupted while a dialog is open. */
  async send<M extends CdpMethod>(
    method: M,
    ...rest: CallArguments<M, [timeoutMs?: number, session?: string]>
  ): Promise<CdpResult<M>> {
    if (this.#dialog) throw dialogOpenError(this.#dialog)
    if (this.#crashed) throw crashedError()
    return new Promise<CdpResult<M>>((resolve, reject) => {
      const over = this.onInterrupt(reject)
      this.call(method, ...rest)
        .then(resolve, reject)
        .finally(over)
    })
  }

  /** Like `send`, for input: input that opens a dialog counts as delivered. */
  async deliver<M extends CdpMethod>(method: M, params: CdpParams<M>): Promise<void> {
    if (this.#dialog) throw dialogOpenError(this.#dialog)
    try {
      const args = [params, pageLimits.inputMs] as CallArguments<M, [number]>
      await this.send(method, ...args)
    } catch (error) {
      if (!(error instanceof ServiceError && error.type === 'dialog_open')) throw error
    }
  }

  /**
   * For calls that the browser handles without the page, such as navigating or answering a dialog.
   */
  async call<M extends CdpMethod>(
    method: M,
    ...rest: CallArguments<M, [timeoutMs?: number, session?: string]>
  ): Promise<CdpResult<M>> {
    if (this.#ended) throw this.#ended
    const [params, timeoutMs = pageLimits.pageCallMs, sessionId = this.#session] = rest
    try {
      const args = [params, { sessionId, timeoutMs }] as CallArguments<M, [CallOptions]>
      return await this.#cdp.send(method, ...args)
    } catch (cause) {
      throw this.#ended ?? this.#errorOf(cause, timeoutMs)
    }
  }

  #errorOf(cause: unknown, timeoutMs: number): ServiceError {
    const isLate = cause instanceof CdpError && cause.kind === 'late'
    if (!isLate || !this.#departure) return toServiceError(cause, timeoutMs)
    const seconds = Math.round((this.clock.monotonic() - this.#departure.sinceMs) / 1_000)
    const message =
      `The page is leaving for ${this.#departure.host}, which has not answered for ${seconds} s. Wait for ` +
      'it (wait_for), or stay here: navigate {"go": "stop"}.'
    return new ServiceError('timeout', message, { reason: 'no_answer' }, cause)
  }

  /** Ends a navigation that waits for a server; the page from before is usable again. */
  async stopLoading(): Promise<void> {
    await this.call('Page.stopLoading')
    this.#departure = undefined
  }

  /** Runs one of our functions in the page; its result must be plain data. */
  evaluate<A extends readonly unknown[], R>(called: PageFunction<A, R>, ...args: A): Promise<R> {
    return this.evaluateWithin(pageLimits.pageCallMs, called, ...args)
  }

  /** Like `evaluate`, for functions that take longer. */
  async evaluateWithin<A extends readonly unknown[], R>(
    timeoutMs: number,
    called: PageFunction<A, R>,
    ...args: A
  ): Promise<R> {
    const known = this.#world
    const send = this.#sendingWithin(timeoutMs)
    const run = async (executionContextId: number) =>
      (await callFunction(send, { executionContextId }, called, valuesOf(args), true)).value as R
    try {
      return await run(known ?? (await this.#newWorld()))
    } catch (error) {
      // The page has navigated, so the world must be created again.
      if (known === undefined || !isChromiumError(error, /context/i)) throw error
      return run(await this.#newWorld())
    }
  }

  answer(accept: boolean, promptText?: string): Promise<unknown> {
    const text = promptText === undefined ? {} : { promptText }
    return this.call('Page.handleJavaScriptDialog', { accept, ...text })
  }

  /**
   * The id of an object that a function returns, such as an element; undefined if it returns none.
   */
  async handle<A extends readonly unknown[]>(
    called: PageFunction<A, unknown>,
    ...args: A
  ): Promise<string | undefined> {
    const where = { executionContextId: await this.#newWorld() }
    return (await callFunction(this.#send, where, called, valuesOf(args), false)).objectId
  }

  #sendingWithin(timeoutMs: number): SendCall {
    return (method, ...[params]) => {
      const args = [params, timeoutMs] as unknown as CallArguments<typeof method, [number]>
      return this.send(method, ...args)
    }
  }

  async #newWorld(): Promise<number> {
    return (this.#world = await worldIn(this.#send, this.id))
  }

  #opened({ type, message }: PageDialog): void {
    this.#dialog = { type, message }
    this.#interrupt(dialogOpenError(this.#dialog))
  }

  #navigated({ frame }: CdpEventParams<'Page.frameNavigated'>): void {
    if (frame.parentId !== undefined) return
    this.#world = undefined
    this.#crashed = false
    this.#departure = undefined
  }

  #departs({ frameId, url, navigationType }: CdpEventParams<'Page.frameStartedNavigating'>): void {
    // Other addresses are run by Chromium, or passed to other programs; the document stays.
    if (frameId !== this.id || !/^https?:/.test(url)) return
    if (/sameDocument/i.test(navigationType)) return
    this.#departure = { host: new URL(url).host, sinceMs: this.clock.monotonic() }
  }

  #ofBrowser({ method, params }: CdpEvent): void {
    if (method === 'Target.targetCrashed' && params['targetId'] === this.id) {
      this.#crashed = true
      this.#dialog = undefined
      this.#interrupt(crashedError())
    }
    if (method === 'Target.detachedFromTarget' && params['sessionId'] === this.#session) {
      this.#ended = new ServiceError('conflict', 'The tab was closed in the meantime; try again.')
      this.#interrupt(this.#ended)
      for (const off of this.#listeners) off()
    }
  }

  #interrupt(why: ServiceError): void {
    for (const listener of [...this.#interrupts]) listener(why)
  }
}

function crashedError(): ServiceError {
  const message = 'The page has crashed; navigate to a URL to recover the tab.'
  return new ServiceError('conflict', message)
}

function dialogOpenError({ type, message: said }: PageDialog): ServiceError {
  const message =
    `The page shows a dialog (${type}: ${JSON.stringify(said.slice(0, 200))}); answer it first, ` +
    'with handle_dialog, or by the keys Enter and Escape.'
  return new ServiceError('dialog_open', message, { dialog: type })
}

function toServiceError(cause: unknown, timeoutMs: number): ServiceError {
  const kind = cause instanceof CdpError ? cause.kind : 'refused'
  switch (kind) {
    case 'late': {
      const message =
        `The page did not answer within ${timeoutMs} ms: ` +
        'it is busy, or shows a dialog that was there before the first command.'
      return new ServiceError('timeout', message, {}, cause)
    }
    case 'closed':
      return new ServiceError('unavailable', 'The browser has ended.', {}, cause)
    case 'refused': {
      const why = failureText(cause)
      return new ServiceError('conflict', `The page refused the call: ${why}.`, {}, cause)
    }
  }
}
