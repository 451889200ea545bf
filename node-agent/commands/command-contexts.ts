/**
 * The command context of each browser; created with its first command and dropped with the browser.
 */
import { CommandContext, type CommandContextParts } from './command-context.ts'

export class CommandContexts<B extends object> {
  readonly #partsOf: (browser: B) => CommandContextParts
  readonly #contexts = new WeakMap<B, CommandContext>()

  constructor(partsOf: (browser: B) => CommandContextParts) {
    this.#partsOf = partsOf
  }

  of(browser: B): CommandContext {
    const known = this.#contexts.get(browser)
    if (known) return known
    const context = CommandContext.of(this.#partsOf(browser))
    this.#contexts.set(browser, context)
    return context
  }
}
