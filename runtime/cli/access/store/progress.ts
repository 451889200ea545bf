/** A progress bar on stderr, on a terminal only. */
const barChars = 24
const redrawMs = 100

export class ProgressBar {
  readonly #isShown = process.stderr.isTTY === true
  #drawnAtMs = 0

  /** `done` of `total`, in any unit. */
  show(what: string, done: number, total: number): void {
    const nowMs = performance.now()
    if (!this.#isShown || nowMs - this.#drawnAtMs < redrawMs) return
    this.#drawnAtMs = nowMs
    const share = total === 0 ? 1 : Math.min(1, done / total)
    const full = Math.round(share * barChars)
    const bar = `${'█'.repeat(full)}${'░'.repeat(barChars - full)}`
    process.stderr.write(`\r\x1b[K${what} ${bar} ${Math.floor(share * 100)} %`)
  }

  /** Removes the bar. */
  end(): void {
    if (this.#isShown) process.stderr.write('\r\x1b[K')
  }
}
