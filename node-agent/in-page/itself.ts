/** Called on what a client's script has left in the page. */

export function itself(this: unknown): unknown {
  return this
}

export function callItself(this: (...args: readonly unknown[]) => unknown, ...args: unknown[]) {
  return this(...args)
}
