/** Runs our functions in pages. */
import { ServiceError } from '../../../proto/errors.ts'
import type { InstalledBundle, PageFunction } from '../../../runtime/browser-host/page-functions.ts'
import type { CallArguments, CdpMethod, CdpResult } from '../../cdp/protocol.ts'
import { sourceTrace } from './source-trace.ts'

/** Sends CDP calls to one session. */
export type SendCall = <M extends CdpMethod>(
  method: M,
  ...rest: CallArguments<M, []>
) => Promise<CdpResult<M>>

/** An execution context, or an object that becomes `this`. */
export type CallTarget =
  | { readonly executionContextId: number; readonly objectGroup?: string }
  | { readonly objectId: string }

export interface RemoteValue {
  readonly value?: unknown
  readonly objectId?: string
}

/**
 * Arguments are `{ value }` or `{ objectId }`. Promises are awaited. Throws the function's
 * exception. In a document where nothing of ours has run yet, the bundle is installed first.
 */
export async function callFunction(
  send: SendCall,
  where: CallTarget,
  { source, installed }: PageFunction<never, unknown>,
  args: readonly object[],
  returnByValue: boolean,
): Promise<RemoteValue> {
  const call = () =>
    send('Runtime.callFunctionOn', {
      ...where,
      functionDeclaration: source,
      arguments: [...args],
      returnByValue,
      awaitPromise: true,
    })
  let answer = await call()
  const why = answer.exceptionDetails?.exception?.description
  if (installed && why?.startsWith(`ReferenceError: ${installed.global} `)) {
    const [, again] = await Promise.all([installBundle(send, where, installed), call()])
    answer = again
  }
  const { result, exceptionDetails } = answer
  if (exceptionDetails) throw new Error(sourceTrace(exceptionDetails.exception?.description))
  return result
}

/** The page handles calls in order, so those that follow find the bundle. */
export function installBundle(
  send: SendCall,
  where: CallTarget,
  { installer }: InstalledBundle,
): Promise<unknown> {
  return send('Runtime.callFunctionOn', { ...where, functionDeclaration: installer })
}

export const valuesOf = (args: readonly unknown[]) => args.map((value) => ({ value }))

/** The isolated world of a frame in which our functions run, and which the page cannot access. */
export async function worldIn(send: SendCall, frameId: string): Promise<number> {
  const params = { frameId, worldName: 'troupe' }
  const { executionContextId } = await send('Page.createIsolatedWorld', params)
  return executionContextId
}

/** Whether an error has a message of Chromium's that matches. */
export function isChromiumError(error: unknown, words: RegExp): error is ServiceError {
  return (
    error instanceof ServiceError && words.test(String((error.cause as Error | undefined)?.message))
  )
}
