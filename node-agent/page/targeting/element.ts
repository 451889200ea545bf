/** One element of a page, accessed from our isolated world in its frame. */
import type { PageFunction } from '../../../runtime/browser-host/page-functions.ts'
import { callFunction, isChromiumError, valuesOf, type RemoteValue } from '../tabs/calls.ts'
import type { CallArguments, CdpParams, CdpResult } from '../../cdp/protocol.ts'
import type { Tab } from '../tabs/tab.ts'
import { isSameCall, keepingFound, onFound, type EarlyCall } from './early-call.ts'
import { type PageFrame, callSenderTo } from '../tabs/frames.ts'

/** The CDP methods that take one element. */
type AboutElement = 'DOM.describeNode' | 'DOM.setFileInputFiles' | 'Runtime.releaseObject'
type SendRest = [timeoutMs?: number, session?: string]

/** A call that was sent along with the search for the element. */
interface SentCall extends EarlyCall {
  readonly result: Promise<RemoteValue>
}

export class ElementHandle {
  readonly tab: Tab
  readonly frame: PageFrame
  readonly #objectId: string
  #sent: SentCall | undefined

  constructor(tab: Tab, frame: PageFrame, objectId: string, sent?: SentCall) {
    this.tab = tab
    this.frame = frame
    this.#objectId = objectId
    this.#sent = sent
  }

  /**
   * Runs one of our functions with the element as `this`. If the same call was sent along with the
   * search for the element, this is its result.
   */
  async call<A extends readonly unknown[], R>(called: PageFunction<A, R>, ...args: A): Promise<R> {
    const sent = this.#sent
    this.#sent = undefined
    const isSent = sent && isSameCall(sent, { called, args })
    return (await (isSent ? sent.result : this.#run(called, args, true))).value as R
  }

  /** The element that one of our functions returns; undefined if it returns none. */
  async other<A extends readonly unknown[]>(
    called: PageFunction<A, unknown>,
    ...args: A
  ): Promise<ElementHandle | undefined> {
    const { objectId } = await this.#run(called, args, false)
    return objectId === undefined ? undefined : new ElementHandle(this.tab, this.frame, objectId)
  }

  /** Calls a CDP method with the element as parameter. */
  send<M extends AboutElement>(
    method: M,
    params?: Omit<CdpParams<M>, 'objectId'>,
  ): Promise<CdpResult<M>> {
    const about = { ...params, objectId: this.#objectId }
    const args = [about, undefined, this.frame.session] as unknown as CallArguments<M, SendRest>
    return this.tab.send(method, ...args)
  }

  /**
   * Lets the page free the element, after the calls that an answer waits for. Not awaited, because
   * the document may be gone already.
   */
  release(): void {
    const send = () => void this.send('Runtime.releaseObject').catch(() => undefined)
    this.tab.clock.timer(0, send)
  }

  #run(
    called: PageFunction<never, unknown>,
    args: readonly unknown[],
    byValue: boolean,
  ): Promise<RemoteValue> {
    const send = callSenderTo(this.tab, this.frame.session)
    return callFunction(send, { objectId: this.#objectId }, called, valuesOf(args), byValue)
  }
}

/** Runs one of our functions in a frame. */
export async function callIn<A extends readonly unknown[], R>(
  tab: Tab,
  { session }: PageFrame,
  executionContextId: number,
  called: PageFunction<A, R>,
  ...args: A
): Promise<R> {
  const send = callSenderTo(tab, session)
  const { value } = await callFunction(send, { executionContextId }, called, valuesOf(args), true)
  return value as R
}

/** Where a search runs, and what is to be called on the element that it finds. */
export interface SearchPlace {
  readonly tab: Tab
  readonly frame: PageFrame
  /** The id of the execution context. */
  readonly world: number
  readonly early?: EarlyCall | undefined
}

let lastKey = 0

/** The element that one of our functions finds in a frame. */
export async function elementIn<A extends readonly unknown[]>(
  { tab, frame, world, early }: SearchPlace,
  search: PageFunction<A, unknown>,
  ...args: A
): Promise<ElementHandle | undefined> {
  const send = callSenderTo(tab, frame.session)
  const run = (called: PageFunction<never, unknown>, args: readonly unknown[], byValue: boolean) =>
    callFunction(send, { executionContextId: world }, called, valuesOf(args), byValue)
  const key = ++lastKey
  const found = early ? run(keepingFound(search), [key, ...args], false) : run(search, args, false)
  const sent = early && { ...early, result: run(onFound(early.called), [key, ...early.args], true) }
  // It is thrown to the one who calls; there may be none.
  sent?.result.catch(() => undefined)
  const { objectId } = await found
  return objectId === undefined ? undefined : new ElementHandle(tab, frame, objectId, sent)
}

/** Chromium's messages for a page, a frame or an element that disappeared during a call. */
const gone =
  /context|Could not find object|node with given id|No node|frame|Session with given id|navigated or closed|detached/i

export const isElementGone = (error: unknown): boolean =>
  isChromiumError(error, gone) && error.type === 'conflict'
