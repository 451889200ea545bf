/**
 * Ends browsers of sessions that run but no longer answer, so that their sessions end with a reason
 * instead of waiting for every call. The browser's main process is asked, which a busy or paused page
 * does not hold up.
 */
import type { Logger } from 'pino'
import type { Clock, Timer } from '../../runtime/lib/clock.ts'
import { CdpError } from '../cdp/cdp.ts'
import { hostedSessionLimits } from './limits.ts'

export interface AskedBrowser {
  readonly id: string
  /** Throws if there is no answer within `timeoutMs`. */
  check(timeoutMs: number): Promise<void>
  /** Ends the browser; `why` is a sentence for the session's owner. */
  fail(why: string): void
}

export interface HangWatchOptions {
  /** The browsers that sessions hold. */
  readonly held: () => readonly { readonly sessionId: string; readonly browser: AskedBrowser }[]
  readonly clock: Clock
  readonly log: Logger
}

const { hangCheckMs, hangAnswerMs, hangMisses } = hostedSessionLimits

const why =
  `The browser did not answer ${hangMisses} times, for ${hangAnswerMs / 1_000} s each, and was ended; ` +
  'create another session.'

export class HangWatch {
  readonly #options: HangWatchOptions
  readonly #missed = new WeakMap<AskedBrowser, number>()
  #timer: Timer | undefined
  #isStopped = false

  constructor(options: HangWatchOptions) {
    this.#options = options
    this.#arm()
  }

  stop(): void {
    this.#isStopped = true
    this.#timer?.cancel()
  }

  /** Asks each browser once. */
  async look(): Promise<void> {
    await Promise.all(this.#options.held().map((held) => this.#ask(held)))
  }

  async #ask({ sessionId, browser }: ReturnType<HangWatchOptions['held']>[number]): Promise<void> {
    const error = await browser.check(hangAnswerMs).then(
      () => undefined,
      (cause: unknown) => cause,
    )
    const isLate = error instanceof CdpError && error.kind === 'late'
    const missed = isLate ? (this.#missed.get(browser) ?? 0) + 1 : 0
    this.#missed.set(browser, missed)
    if (!isLate) return
    this.#options.log.warn(
      { session: sessionId, browser: browser.id, missed },
      'a browser does not answer',
    )
    if (missed >= hangMisses) browser.fail(why)
  }

  #arm(): void {
    this.#timer = this.#options.clock.timer(hangCheckMs, () => {
      void this.look().finally(() => this.#isStopped || this.#arm())
    })
  }
}
