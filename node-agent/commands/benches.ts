/** The bench of each browser, made when its first command comes and gone with it. */
import type { SessionBrowser, Sessions } from '../sessions.ts'
import { Workbench, type WorkbenchParts } from './workbench.ts'

export class Benches {
  readonly #sessions: Sessions
  readonly #partsOf: (browser: SessionBrowser) => WorkbenchParts
  readonly #benches = new WeakMap<SessionBrowser, Workbench>()

  constructor(sessions: Sessions, partsOf: (browser: SessionBrowser) => WorkbenchParts) {
    this.#sessions = sessions
    this.#partsOf = partsOf
  }

  of(request: { readonly sessionId: string; readonly epoch: number }): Workbench {
    const browser = this.#sessions.browserOf(request)
    const known = this.#benches.get(browser)
    if (known) return known
    const bench = Workbench.of(this.#partsOf(browser))
    this.#benches.set(browser, bench)
    return bench
  }
}
