/** The workbench of each browser; created with its first command and dropped with the browser. */
import { Workbench, type WorkbenchParts } from './workbench.ts'

export class Benches<B extends object> {
  readonly #partsOf: (browser: B) => WorkbenchParts
  readonly #benches = new WeakMap<B, Workbench>()

  constructor(partsOf: (browser: B) => WorkbenchParts) {
    this.#partsOf = partsOf
  }

  of(browser: B): Workbench {
    const known = this.#benches.get(browser)
    if (known) return known
    const bench = Workbench.of(this.#partsOf(browser))
    this.#benches.set(browser, bench)
    return bench
  }
}
