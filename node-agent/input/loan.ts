/**
 * A text that one client finds on the clipboard, and nobody else. A browser asks several times for
 * one paste, and how often depends on the page; so it has taken the text when it asked for it and
 * then asked nothing for a while, longer the slower it was until then.
 */
import { limits } from '../../proto/limits.ts'
import { sleep, type Clock } from '../../runtime/clock.ts'
import type { Offer } from './selection.ts'

export class Loan {
  readonly client: number
  readonly offer: Offer
  readonly #clock: Clock
  #answering = 0
  #lastMs: number
  #longestPauseMs = 0
  #taken = new AbortController()

  constructor(client: number, offer: Offer, clock: Clock) {
    this.client = client
    this.offer = offer
    this.#clock = clock
    this.#lastMs = clock.monotonic()
  }

  asked(): void {
    const nowMs = this.#clock.monotonic()
    if (this.#answering++ === 0) {
      this.#longestPauseMs = Math.max(this.#longestPauseMs, nowMs - this.#lastMs)
    }
    this.#lastMs = nowMs
  }

  answered(isText: boolean): void {
    this.#answering--
    this.#lastMs = this.#clock.monotonic()
    if (isText) this.#taken.abort()
  }

  /** Whether it was, once that is known. */
  async taken(): Promise<boolean> {
    await sleep(this.#clock, limits.pasteTakenMs, this.#taken.signal)
    if (!this.#taken.signal.aborted) return false
    const giveUpAt = this.#clock.monotonic() + limits.pasteQuietInAllMs
    for (;;) {
      const nowMs = this.#clock.monotonic()
      const leftMs = this.#answering > 0 ? this.#quietMs() : this.#lastMs + this.#quietMs() - nowMs
      if (leftMs <= 0 || nowMs > giveUpAt) return true
      await sleep(this.#clock, leftMs)
    }
  }

  #quietMs(): number {
    const { pasteQuietMs, pasteQuietMaxMs, pasteQuietPauses } = limits
    return Math.min(
      Math.max(this.#longestPauseMs * pasteQuietPauses, pasteQuietMs),
      pasteQuietMaxMs,
    )
  }
}
