/** How functions of ours, given as source, are run in a page: where that is, and what went wrong. */
import { ServiceError } from '../../proto/errors.ts'
import type { CallArguments, CdpMethod, CdpResult } from '../browser/protocol.ts'
import type { Tab } from './tab.ts'

/** A session with the debugger that the call goes to. */
export type Send = <M extends CdpMethod>(
  method: M,
  ...rest: CallArguments<M, []>
) => Promise<CdpResult<M>>

/** To the process of a frame, through its own session. */
export function senderTo(tab: Tab, session: string): Send {
  return (method, ...[params]) => {
    type Rest = [timeoutMs?: number, session?: string]
    const all = [params, undefined, session] as unknown as CallArguments<typeof method, Rest>
    return tab.send(method, ...all)
  }
}

/** A world of a frame, or an object that is `this`. */
export type Where =
  | { readonly executionContextId: number; readonly objectGroup?: string }
  | { readonly objectId: string }

export interface RemoteValue {
  readonly value?: unknown
  readonly objectId?: string
}

/** Arguments are `{ value }` or `{ objectId }`. A promise is waited for. Throws what it throws. */
export async function callFunction(
  send: Send,
  where: Where,
  source: string,
  args: readonly object[],
  returnByValue: boolean,
): Promise<RemoteValue> {
  const { result, exceptionDetails } = await send('Runtime.callFunctionOn', {
    ...where,
    functionDeclaration: source,
    arguments: [...args],
    returnByValue,
    awaitPromise: true,
  })
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description)
  return result
}

export const valuesOf = (args: readonly unknown[]) => args.map((value) => ({ value }))

export interface WorldOptions {
  readonly worldName: string
}

/** A world of ours in a frame: the page's scripts cannot reach into it. */
export async function worldIn(send: Send, frameId: string, options: WorldOptions) {
  const params = { frameId, ...options }
  const { executionContextId } = await send('Page.createIsolatedWorld', params)
  return executionContextId
}

/** Where most of them run. */
export const ourWorld: WorldOptions = { worldName: 'troupe' }

/** Whether it failed with words of Chromium's that fit. */
export function chromiumSaid(error: unknown, words: RegExp): error is ServiceError {
  return (
    error instanceof ServiceError && words.test(String((error.cause as Error | undefined)?.message))
  )
}
