/**
 * A call on an element that is sent along with the search for it, which saves a round trip. The
 * search keeps the element in its world under a key; the page handles calls in order, so it is there
 * when the second call takes it.
 */
import type { PageFunction } from '../../../runtime/browser-host/page-functions.ts'

/** One of our functions, and its arguments; the element becomes `this`. */
export interface EarlyCall {
  readonly called: PageFunction<never, unknown>
  readonly args: readonly unknown[]
}

type FunctionSource = Pick<PageFunction<never, unknown>, 'source'>

/** The same search; its first argument is the key. */
export const keepingFound = ({ source }: FunctionSource): FunctionSource => ({
  source: `function (key, ...args) {
const found = (${source}).apply(this, args)
if (found) (globalThis.troupeFound ??= new Map()).set(key, found)
return found
}`,
})

/** The same function, called with the kept element; undefined if the search has found none. */
export const onFound = ({ source }: FunctionSource): FunctionSource => ({
  source: `function (key, ...args) {
const found = globalThis.troupeFound?.get(key)
globalThis.troupeFound?.delete(key)
return found && (${source}).apply(found, args)
}`,
})

/** Whether a call is the one that was sent along. */
export const isSameCall = (early: EarlyCall, { called, args }: EarlyCall): boolean =>
  early.called === called && early.args.every((arg, i) => arg === args[i])
