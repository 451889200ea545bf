/**
 * Waits until an action has had its effect. The page gets two frames; if it has started to navigate
 * by then, the new document is awaited; if it has sent requests, their answers and one more
 * drawing. All waits are bounded: a quick answer for most pages is worth more than a complete one
 * for the slowest.
 */
import { settleWithin } from '../../../runtime/lib/clock.ts'
import { inPage } from '../tabs/in-page.ts'
import type { Tab } from '../tabs/tab.ts'
import { InFlight } from './in-flight.ts'
import { pageLimits } from '../limits.ts'

/**
 * When the effect of an action is complete. `told`: with its event, as for fields. `awaited`: the
 * same, and the action itself has already waited for the page's next task. `drawn`: it may need a
 * frame, as after a click.
 */
export type ExpectedEffect = 'awaited' | 'drawn' | 'told'

const { nextFrames, nextTask } = inPage

/** Starts before the action, so that none of its effects are missed. */
export class ActionEffects {
  readonly #tab: Tab
  readonly #requests: InFlight
  readonly #off: (() => void)[]
  #leaving = false
  #loaded = false
  #onProgress: (() => void) | undefined
  /** The frames that were asked for with the input, until they are awaited. */
  #frames: Promise<void> | undefined

  private constructor(tab: Tab, requests: InFlight) {
    this.#tab = tab
    this.#requests = requests
    const ofMain = ({ frameId }: { readonly frameId: string }) => frameId === tab.id
    this.#off = [
      tab.on('Page.frameStartedNavigating', (params) => ofMain(params) && this.#leaves(params)),
      tab.on('Page.frameRequestedNavigation', (params) => ofMain(params) && this.#leaves(params)),
      tab.on('Page.frameNavigated', ({ frame }) => {
        if (frame.parentId !== undefined) return
        this.#leaving = true
      }),
      tab.on('Page.domContentEventFired', () => this.#arrived()),
      tab.on('Page.loadEventFired', () => this.#arrived()),
      tab.on('Page.frameStoppedLoading', (params) => ofMain(params) && this.#arrived()),
      tab.onInterrupt(() => this.#onProgress?.()),
      requests.onIdle(() => this.#onProgress?.()),
    ]
  }

  static async begin(tab: Tab): Promise<ActionEffects> {
    return new ActionEffects(tab, await InFlight.watch(tab))
  }

  /** True if something is pending that will change the page. */
  get isBusy(): boolean {
    return this.#boundMs() > 0
  }

  /** Called when the page has taken the input: what is drawn from now on shows its effect. */
  draw(): void {
    this.#frames = this.#shown('drawn')
  }

  /** Always resolves; does not wait if a dialog is open, the tab is closed, or the time is over. */
  async over(effect: ExpectedEffect): Promise<void> {
    const { clock } = this.#tab
    const fromMs = clock.monotonic()
    const frames = effect === 'drawn' ? this.#frames : undefined
    this.#frames = undefined
    if (effect !== 'awaited') await (frames ?? this.#shown(effect))
    for (let boundMs = this.#boundMs(); boundMs > 0; boundMs = this.#boundMs()) {
      const leftMs = fromMs + boundMs - clock.monotonic()
      if (leftMs <= 0) return this.#giveUp()
      await this.#progress(leftMs)
      await this.#shown('drawn')
    }
  }

  /** Stops waiting for pending requests: what has used up its time is not waited for again. */
  #giveUp(): void {
    this.#requests.giveUp()
    this.#leaving = false
  }

  stop(): void {
    for (const off of this.#off) off()
    this.#requests.stop()
  }

  /** How long to wait for pending effects; 0 if there are none. */
  #boundMs(): number {
    if (this.#tab.dialog || this.#tab.ended) return 0
    if (this.#leaving && !this.#loaded) return pageLimits.settleDocumentMs
    return this.#requests.count > 0 ? pageLimits.settleRequestsMs : 0
  }

  #leaves({
    navigationType,
    url,
  }: {
    readonly navigationType?: string
    readonly url: string
  }): void {
    if (navigationType === 'sameDocument' || navigationType === 'historySameDocument') return
    // Chromium runs these URLs or passes them to other programs; the document stays.
    if (/^(javascript|mailto|tel):/.test(url)) return
    this.#leaving = true
  }

  #arrived(): void {
    this.#loaded = this.#leaving
    this.#onProgress?.()
  }

  #progress(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#tab.clock.timer(withinMs, resolve)
      this.#onProgress = () => {
        timer.cancel()
        resolve()
      }
    })
  }

  /**
   * Waits until the page has processed the action and drawn; not forever, since it may be gone or
   * hang.
   */
  async #shown(effect: Exclude<ExpectedEffect, 'awaited'>): Promise<void> {
    if (this.#tab.dialog || this.#tab.ended) return
    const shown =
      effect === 'drawn'
        ? this.#tab.evaluate(nextFrames, pageLimits.settleFramesMs)
        : this.#tab.evaluate(nextTask)
    await settleWithin(this.#tab.clock, pageLimits.settleFramesMs, shown)
  }
}
