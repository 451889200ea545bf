/** Ctrl-C: once to stop gracefully, twice to stop at once. */

/** npm forwards a signal that the terminal has already sent to all processes; both count as one. */
const sameSignalMs = 500

class StoppedEarly extends Error {
  constructor() {
    super('stopped before it had started')
    this.name = 'StoppedEarly'
  }
}

export class Signals {
  readonly #first = new AbortController()
  #second: () => void = () => process.exit(1)
  #firstAtMs = 0

  constructor() {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(name, () => this.#onSignal())
    }
  }

  get first(): AbortSignal {
    return this.#first.signal
  }

  get stop(): Promise<void> {
    return new Promise((resolve) => {
      if (this.first.aborted) resolve()
      else this.first.addEventListener('abort', () => resolve(), { once: true })
    })
  }

  onSecond(act: () => void): void {
    this.#second = act
  }

  #onSignal(): void {
    const now = performance.now()
    if (!this.first.aborted) {
      this.#firstAtMs = now
      this.#first.abort(new StoppedEarly())
    } else if (now - this.#firstAtMs > sameSignalMs) {
      this.#second()
    }
  }
}
