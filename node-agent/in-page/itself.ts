/** Functions for `callFunctionOn` with an object or a function of the page as `this`. */

export function itself(this: unknown): unknown {
  return this
}

export function callItself(this: (...args: readonly unknown[]) => unknown, ...args: unknown[]) {
  return this(...args)
}
