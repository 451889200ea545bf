/**
 * When an action has had its effect. The page is given two frames; if it has left for another
 * document by then, that is waited for; if it asks the network for something, the answer and what
 * is drawn of it. All within bounds: an answer that is late for the slowest page is worth less than
 * one that is soon for all others.
 */
import { limits } from '../../../proto/limits.ts'
import type { Tab } from '../tab.ts'
import { InFlight } from './in-flight.ts'

/** A field shows what it was given with the event itself; a click may have to be drawn to show. */
export type Effect = 'drawn' | 'told'

/** Begun before the action, so that nothing it sets off is missed. */
export class Settling {
  readonly #tab: Tab
  readonly #requests: InFlight
  readonly #off: (() => void)[]
  #leaving = false
  #loaded = false
  #told: (() => void) | undefined

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
      tab.onInterrupt(() => this.#told?.()),
      requests.onIdle(() => this.#told?.()),
    ]
  }

  static async begin(tab: Tab): Promise<Settling> {
    return new Settling(tab, await InFlight.watch(tab))
  }

  /** Something has begun that will change the page further. */
  get isBusy(): boolean {
    return this.#boundMs() > 0
  }

  /** Resolves in any case: with a dialog open, a tab gone or a time over nothing is waited for. */
  async over(effect: Effect): Promise<void> {
    const fromMs = performance.now()
    await this.#shown(effect === 'drawn' ? twoFrames : oneTask)
    for (let boundMs = this.#boundMs(); boundMs > 0; boundMs = this.#boundMs()) {
      const leftMs = fromMs + boundMs - performance.now()
      if (leftMs <= 0) return
      await this.#word(leftMs)
      await this.#shown(twoFrames)
    }
  }

  stop(): void {
    for (const off of this.#off) off()
    this.#requests.stop()
  }

  /** How long what is still to come is waited for; 0 for nothing. */
  #boundMs(): number {
    if (this.#tab.dialog || this.#tab.ended) return 0
    if (this.#leaving && !this.#loaded) return limits.settleDocumentMs
    return this.#requests.count > 0 ? limits.settleRequestsMs : 0
  }

  #leaves({
    navigationType,
    url,
  }: {
    readonly navigationType?: string
    readonly url: string
  }): void {
    if (navigationType === 'sameDocument' || navigationType === 'historySameDocument') return
    // Chromium hands these to other programs, or runs them, and the document stays.
    if (/^(javascript|mailto|tel):/.test(url)) return
    this.#leaving = true
  }

  #arrived(): void {
    this.#loaded = this.#leaving
    this.#told?.()
  }

  #word(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, withinMs)
      this.#told = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** The page has run what the action set off, and drawn it. It may be gone, or stand still. */
  async #shown(how: string): Promise<void> {
    if (this.#tab.dialog || this.#tab.ended) return
    const late = new Promise<void>((resolve) => {
      setTimeout(resolve, limits.settleFramesMs).unref()
    })
    await Promise.race([late, this.#tab.evaluate(how).catch(() => undefined)])
  }
}

/** A timer of no time comes after all that events have set off at once. */
const oneTask = '() => new Promise((resolve) => setTimeout(resolve))'
const twoFrames = `() => new Promise((resolve) => {
  requestAnimationFrame(() => requestAnimationFrame(resolve))
  setTimeout(resolve, ${limits.settleFramesMs})
})`
