/**
 * Turns functions that run in pages into the text that is sent there. They are written in
 * TypeScript, in folders named `in-page`, which are compiled with the types of the DOM and without
 * those of Node. The text is the compiled code: a function with everything that its module exports,
 * and nothing else.
 */

/** Arguments are sent as values beside the text. A promise is awaited before its result is sent. */
export interface PageFunction<Args extends readonly unknown[], Result> {
  /** A function expression. */
  readonly source: string
  /** Never set: it carries the function's parameter and result types for the compiler. */
  readonly type?: (...args: Args) => Result
}

type PageFunctionsOf<Module> = {
  readonly [
    Name in keyof Module as Module[Name] extends (...args: never) => unknown ? Name : never
  ]: Module[Name] extends (...args: infer Args) => infer Result
    ? PageFunction<Args, Awaited<Result>>
    : never
}

/** The functions that a module of page code exports, by name. */
export function pageFunctions<Module extends object>(page: Module): PageFunctionsOf<Module> {
  const scope = pageScopeOf(page)
  const functions = Object.entries(page).flatMap(([name, value]) => {
    if (typeof value !== 'function') return []
    const source = `function () {\n'use strict'\n${scope}\nreturn ${name}.apply(this, arguments)\n}`
    return [[name, { source }] as const]
  })
  return Object.fromEntries(functions) as PageFunctionsOf<Module>
}

/** The function as a script, for APIs that take no function. Its `this` is undefined. */
export const scriptOf = ({ source }: PageFunction<readonly [], unknown>) => `(${source})()`

/** Declares everything that a module exports, a class after the one that it extends. */
export const pageScopeOf = (page: object) =>
  Object.entries(page)
    .sort(([, one], [, other]) => chainLength(one) - chainLength(other))
    .map(([name, value]) => `const ${name} = ${textOf(value)}`)
    .join('\n')

/** Length of a class's chain of superclasses; 0 for other values. */
const chainLength = (value: unknown): number =>
  typeof value === 'function' ? 1 + chainLength(Object.getPrototypeOf(value)) : 0

function textOf(value: unknown): string {
  if (typeof value === 'function' || value instanceof RegExp) return String(value)
  if (value instanceof Set) return `new Set(${JSON.stringify([...value])})`
  return JSON.stringify(value)
}
