/**
 * Turns functions that run in pages into the text that is sent there. They are written in
 * TypeScript, in folders named `in-page`, which are compiled with the types of the DOM and without
 * those of Node, and bundled by the build: `pageBundles` lists the bundles.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { pageBundlePath, type PageBundle } from './page-bundles.ts'

/** Arguments are sent as values beside the text. A promise is awaited before its result is sent. */
export interface PageFunction<Args extends readonly unknown[], Result> {
  /** A function expression. */
  readonly source: string
  /** Set for a function of an installed bundle, whose `source` only names it. */
  readonly installed?: InstalledBundle
  /** Never set: it carries the function's parameter and result types for the compiler. */
  readonly type?: (...args: Args) => Result
}

export interface InstalledBundle {
  /** The global variable of the isolated world that holds the bundle. No page can know the name. */
  readonly global: string
  /** A function expression that sets the variable, unless it is set. */
  readonly installer: string
}

type PageFunctionsOf<Module> = {
  readonly [
    Name in keyof Module as Module[Name] extends (...args: never) => unknown ? Name : never
  ]: Module[Name] extends (...args: infer Args) => infer Result
    ? PageFunction<Args, Awaited<Result>>
    : never
}

/** The name that traces of installed functions have for the bundle. */
export const installedFileName = 'troupe-page.js'
/** The lines of an installer before those of its bundle. */
export const linesBeforeBundle = 2

/**
 * The functions that a bundle exports, each sent with the whole bundle: for worlds that keep
 * nothing of ours. The type is that of the module which the bundle is made of.
 */
export function sentFunctions<Module>(bundle: PageBundle): PageFunctionsOf<Module> {
  const text = readFileSync(pageBundlePath(bundle), 'utf8')
  return functionsByName((name) => ({
    source: `function () {\n'use strict'\n${text}\nreturn page.${name}.apply(this, arguments)\n}`,
  }))
}

/**
 * The functions that a bundle exports, for our isolated worlds: a call names its function, and the
 * bundle is sent once to each document.
 */
export function installedFunctions<Module>(bundle: PageBundle): PageFunctionsOf<Module> {
  const text = readFileSync(pageBundlePath(bundle), 'utf8')
  // An element's id is a global variable too, in every world.
  const global = `troupe_${randomBytes(8).toString('hex')}`
  const installer =
    `function () {\nglobalThis.${global} ??= (() => { 'use strict'\n${text}\nreturn page })()\n}\n` +
    `//# sourceURL=${installedFileName}\n`
  const installed = { global, installer }
  return functionsByName((name) => ({
    source: `function () { return ${global}.${name}.apply(this, arguments) }`,
    installed,
  }))
}

/** The function as a script, for APIs that take no function. Its `this` is undefined. */
export const scriptOf = ({ source }: PageFunction<readonly [], unknown>) => `(${source})()`

type NamedFunction = PageFunction<never, unknown>

/** Each function is the same object at each access, so that calls can be compared. */
function functionsByName<Functions>(make: (name: string) => NamedFunction): Functions {
  const made = new Map<string, NamedFunction>()
  const get = (_: object, name: string): NamedFunction => {
    const known = made.get(name) ?? make(name)
    made.set(name, known)
    return known
  }
  return new Proxy({}, { get }) as Functions
}
