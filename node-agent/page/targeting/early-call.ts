/**
 * A call on an element that is sent along with the search for it, which saves a round trip. The
 * search keeps the element in its world under a key; the page handles calls in order, so it is there
 * when the second call takes it.
 */
import type { PageFunction } from '../../../runtime/browser-host/page-functions.ts'
import { inPage } from '../tabs/in-page.ts'

const { keepFound, takeFound } = inPage

/** One of our functions, and its arguments; the element becomes `this`. */
export interface EarlyCall {
  readonly called: PageFunction<never, unknown>
  readonly args: readonly unknown[]
}

/** The same search; its first argument is the key. */
export const keepingFound = (
  search: PageFunction<never, unknown>,
): PageFunction<never, unknown> => ({
  ...search,
  source: `function (key, ...args) {
const found = (${search.source}).apply(this, args)
if (found) (${keepFound.source})(key, found)
return found
}`,
})

/** The same function, called with the kept element; undefined if the search has found none. */
export const onFound = (called: PageFunction<never, unknown>): PageFunction<never, unknown> => ({
  ...called,
  source: `function (key, ...args) {
const found = (${takeFound.source})(key)
return found && (${called.source}).apply(found, args)
}`,
})

/** Whether a call is the one that was sent along. */
export const isSameCall = (early: EarlyCall, { called, args }: EarlyCall): boolean =>
  early.called === called && early.args.every((arg, i) => arg === args[i])
