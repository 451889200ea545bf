/** One element of a page as our functions get hold of it, in our own world of its frame. */
import { ServiceError } from '../../../proto/errors.ts'
import type { Tab } from '../tab.ts'
import type { Frame } from './frames.ts'

interface Answer {
  readonly result: { readonly value?: unknown; readonly objectId?: string }
  readonly exceptionDetails?: { readonly exception?: { readonly description?: string } }
}

export class Element {
  readonly tab: Tab
  readonly frame: Frame
  readonly #objectId: string

  constructor(tab: Tab, frame: Frame, objectId: string) {
    this.tab = tab
    this.frame = frame
    this.#objectId = objectId
  }

  /** Runs a function of ours, given as source, with the element as `this`. */
  async call<R>(source: string, ...args: readonly unknown[]): Promise<R> {
    const { result } = await this.#run(source, args, true)
    return result.value as R
  }

  /** The element that a function of ours returns; undefined for none. */
  async other(source: string, ...args: readonly unknown[]): Promise<Element | undefined> {
    const { result } = await this.#run(source, args, false)
    return result.objectId === undefined
      ? undefined
      : new Element(this.tab, this.frame, result.objectId)
  }

  /** A call of CDP about it. */
  send<R = unknown>(method: string, params: object = {}): Promise<R> {
    const about = { ...params, objectId: this.#objectId }
    return this.tab.send<R>(method, about, undefined, this.frame.session)
  }

  /** The page may forget it. Nothing waits for that: its document may have gone, with all of it. */
  release(): void {
    void this.send('Runtime.releaseObject').catch(() => undefined)
  }

  async #run(source: string, args: readonly unknown[], returnByValue: boolean): Promise<Answer> {
    const answer = await this.send<Answer>('Runtime.callFunctionOn', {
      functionDeclaration: source,
      arguments: args.map((value) => ({ value })),
      returnByValue,
      awaitPromise: true,
    })
    if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.exception?.description)
    return answer
  }
}

/** The same for a whole frame: runs a function of ours there. */
export async function callIn<R>(
  tab: Tab,
  { session }: Frame,
  world: number,
  source: string,
  args: readonly unknown[] = [],
): Promise<R> {
  const { result } = await run(tab, session, world, source, args, true)
  return result.value as R
}

export async function elementIn(
  tab: Tab,
  frame: Frame,
  world: number,
  source: string,
  args: readonly unknown[],
): Promise<Element | undefined> {
  const { result } = await run(tab, frame.session, world, source, args, false)
  return result.objectId === undefined ? undefined : new Element(tab, frame, result.objectId)
}

async function run(
  tab: Tab,
  session: string,
  world: number,
  source: string,
  args: readonly unknown[],
  returnByValue: boolean,
): Promise<Answer> {
  const answer = await tab.send<Answer>(
    'Runtime.callFunctionOn',
    {
      functionDeclaration: source,
      executionContextId: world,
      arguments: args.map((value) => ({ value })),
      returnByValue,
      awaitPromise: true,
    },
    undefined,
    session,
  )
  if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.exception?.description)
  return answer
}

/** Chromium's words for a page, a frame or an element that went while we were with it. */
const gone =
  /context|Could not find object|node with given id|No node|frame|Session with given id|navigated or closed|detached/i

export const isGone = (error: unknown): boolean =>
  error instanceof ServiceError &&
  error.type === 'conflict' &&
  gone.test(String((error.cause as Error | undefined)?.message))
