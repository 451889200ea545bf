/**
 * What the page in front shows, as JPEGs with their times: Chromium's screencast, which has nothing to
 * say while nothing changes. Ten pictures a second at most: the next one is asked for only then.
 */
import type { Clock, Timer } from '../../../runtime/lib/clock.ts'
import { SerialQueue } from '../../../runtime/lib/serial-queue.ts'
import type { CdpPipe } from '../../cdp/cdp.ts'
import type { CdpEvent } from '../../cdp/protocol.ts'
import { isSessionPage } from '../../cdp/session-page.ts'
import { videoLimits } from '../limits.ts'
import type { Picture } from '../spool.ts'
import { stillCaret } from './still-caret.ts'

export interface PicturedBrowser {
  readonly cdp: CdpPipe
  /** Of pages of the service, which nobody is shown. */
  readonly ownContextId: string
}

/** A page that is shown, by the CDP session for its screencast. */
interface ShownPage {
  readonly targetId: string
  readonly sessionId: string
  readonly stopListening: () => void
  /** Chromium's time of the last picture, in seconds. */
  lastS: number
  /** Monotonic: when its last picture was or will be acknowledged. */
  paceMs: number
  /** The next one may never have come: Chromium drops pictures while two are not acknowledged. */
  mayLack: boolean
  /** Whether it has yet to answer that its caret is still. */
  isAsked: boolean
  quiet: Timer | undefined
}

const framing = {
  format: 'jpeg',
  quality: videoLimits.pictureQuality,
  maxWidth: videoLimits.sidePx,
  maxHeight: videoLimits.sidePx,
} as const

const { pictureEveryMs, quietMs, frontPageMs } = videoLimits

export class Pictures {
  readonly #browser: PicturedBrowser
  readonly #show: (picture: Picture) => void
  readonly #turns = new SerialQueue()
  readonly #stopListening: () => void
  #page: ShownPage | undefined
  #poll: Timer | undefined
  #isStopped = false

  /** Begins at once; it ends with the browser, or with `stop`. */
  constructor(browser: PicturedBrowser, show: (picture: Picture) => void) {
    this.#browser = browser
    this.#show = show
    this.#stopListening = browser.cdp.onEvent(({ method }: CdpEvent) => {
      if (method === 'Target.targetCreated' || method === 'Target.targetDestroyed') this.#look()
    })
    this.#look()
  }

  stop(): void {
    this.#isStopped = true
    this.#poll?.cancel()
    this.#stopListening()
    void this.#turns.run(() => this.#leave())
  }

  /** The next picture comes at once, even if nothing changes. */
  refresh(): void {
    if (this.#page) this.#again(this.#page)
  }

  get #clock(): Clock {
    return this.#browser.cdp.clock
  }

  /** Which page is in front is asked now, and then every second; nothing changes if that fails. */
  #look(): void {
    this.#poll?.cancel()
    if (this.#isStopped || this.#turns.size > 1) return
    void this.#turns
      .run(() => this.#follow())
      .catch(() => this.#leave())
      .finally(() => {
        this.#poll?.cancel()
        if (!this.#isStopped) this.#poll = this.#clock.timer(frontPageMs, () => this.#look())
      })
  }

  async #follow(): Promise<void> {
    const { cdp, ownContextId } = this.#browser
    const { targetInfos } = await cdp.send('Target.getTargets')
    const front = targetInfos.find((target) => isSessionPage(target, ownContextId))
    if (front?.targetId === this.#page?.targetId) return this.#still()
    await this.#leave()
    if (!front || this.#isStopped) return
    const { targetId } = front
    const { sessionId } = await cdp.send('Target.attachToTarget', { targetId, flatten: true })
    const stopListening = cdp.onEvent((event) => this.#heard(page, event), sessionId)
    const page: ShownPage = {
      ...{ targetId, sessionId, stopListening },
      ...{ lastS: 0, paceMs: 0, mayLack: false, isAsked: false, quiet: undefined },
    }
    this.#page = page
    await cdp.send('Page.startScreencast', framing, { sessionId })
    this.#still()
  }

  /** Asked again after each look, since the page may have navigated; not while it has not answered. */
  #still(): void {
    const page = this.#page
    if (!page || page.isAsked) return
    page.isAsked = true
    void stillCaret(this.#browser.cdp, page.sessionId).then(() => (page.isAsked = false))
  }

  async #leave(): Promise<void> {
    const page = this.#page
    this.#page = undefined
    if (!page) return
    page.quiet?.cancel()
    page.stopListening()
    const { sessionId } = page
    // Refused if the page has closed.
    await this.#browser.cdp.send('Target.detachFromTarget', { sessionId }).catch(ignore)
  }

  #heard(page: ShownPage, { method, params }: CdpEvent): void {
    if (method === 'Page.screencastVisibilityChanged' && !params.visible) this.#look()
    if (method !== 'Page.screencastFrame' || page !== this.#page) return
    const { timestamp = 0 } = params.metadata
    if (!isLate(timestamp, page.lastS)) {
      page.lastS = timestamp
      this.#show({ atMs: this.#timeOf(timestamp), jpeg: Buffer.from(params.data, 'base64') })
    }
    const nowMs = this.#clock.monotonic()
    const waitMs = Math.max(0, page.paceMs + pictureEveryMs - nowMs)
    page.paceMs = nowMs + waitMs
    page.mayLack = waitMs > 0
    const number = params.sessionId
    if (waitMs === 0) this.#acknowledge(page, number)
    else this.#clock.timer(waitMs, () => this.#acknowledge(page, number))
  }

  #acknowledge(page: ShownPage, number: number): void {
    if (page !== this.#page) return
    const { sessionId } = page
    const { cdp } = this.#browser
    // Refused if the page has closed, as below; the next look finds another one.
    cdp.send('Page.screencastFrameAck', { sessionId: number }, { sessionId }).catch(ignore)
    page.quiet?.cancel()
    const look = () => page.mayLack && this.#again(page)
    if (page.mayLack) page.quiet = this.#clock.timer(quietMs, look)
  }

  /** A screencast that begins has the page as it is. */
  #again(page: ShownPage): void {
    if (page !== this.#page) return
    page.mayLack = false
    const { sessionId } = page
    const { cdp } = this.#browser
    cdp.send('Page.stopScreencast', {}, { sessionId }).catch(ignore)
    cdp.send('Page.startScreencast', framing, { sessionId }).catch(ignore)
  }

  /** Chromium's own time of the picture, which does not wait for this process. */
  #timeOf(seconds: number): number {
    const nowMs = this.#clock.now()
    const atMs = Math.round(seconds * 1_000)
    return Math.abs(nowMs - atMs) < maxLagMs ? atMs : nowMs
  }
}

const ignore = (): void => undefined

/**
 * When a screencast is restarted, a picture of the one before may come after newer ones. Older by more
 * than a second, the clock was set back.
 */
const isLate = (pictureS: number, lastS: number) => pictureS < lastS && lastS - pictureS < 1

/** Beyond it, the two clocks differ. */
const maxLagMs = 5_000
