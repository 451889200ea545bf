/**
 * A text that is offered on the clipboard to one client only. A browser requests the clipboard
 * several times for one paste, and how often depends on the page. So the text counts as taken when
 * the client has requested it and then made no request for a while; that time grows with the pauses
 * between its requests.
 */
import { sleep, type Clock } from '../../../../runtime/lib/clock.ts'
import type { SelectionOffer } from './selection.ts'
import { inputLimits } from '../../limits.ts'

export class TemporarySelection {
  readonly client: number
  readonly offer: SelectionOffer
  readonly #clock: Clock
  readonly #bytes: number
  #answering = 0
  #lastMs: number
  #longestPauseMs = 0
  #texts = 0
  #taken = new AbortController()

  constructor(client: number, offer: SelectionOffer, clock: Clock) {
    this.client = client
    this.offer = offer
    this.#clock = clock
    this.#lastMs = clock.monotonic()
    this.#bytes = Math.max(0, ...[...offer.values()].map(({ data }) => data.length))
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
    if (!isText) return
    this.#texts++
    this.#taken.abort()
  }

  /** Waits until it is clear whether the text was taken; what was before this call is no silence. */
  async taken(): Promise<boolean> {
    this.#lastMs = this.#clock.monotonic()
    await sleep(this.#clock, inputLimits.pasteTakenMs, this.#taken.signal)
    if (!this.#taken.signal.aborted) return false
    const giveUpAt = this.#clock.monotonic() + inputLimits.pasteQuietInAllMs
    for (;;) {
      const nowMs = this.#clock.monotonic()
      const leftMs = this.#answering > 0 ? this.#quietMs() : this.#lastMs + this.#quietMs() - nowMs
      if (leftMs <= 0 || nowMs > giveUpAt) return true
      // Requests that arrive meanwhile change the remaining time.
      await sleep(this.#clock, Math.min(leftMs, inputLimits.pasteQuietMs))
    }
  }

  /**
   * Longer after the first request, which may only check whether the page may read the clipboard.
   */
  #quietMs(): number {
    const { pasteQuietMs, pasteQuietAfterFirstMs, pasteQuietMaxMs, pasteQuietPauses } = inputLimits
    const least = this.#texts > 1 ? pasteQuietMs : pasteQuietAfterFirstMs
    const quietMs = Math.max(least, this.#longestPauseMs * pasteQuietPauses)
    return Math.min(quietMs, pasteQuietMaxMs) + this.#bytes * inputLimits.pasteQuietMsPerByte
  }
}
