/**
 * Shows the page of a headless session: Chromium's screencast over a CDP connection of the viewer's
 * own. Of several pages the one in front is shown. Chromium reports when a page becomes visible,
 * except for pages that a client has made believe they are always visible. So its list of targets,
 * which begins with the one used last, is also read periodically. A frame is acknowledged after the
 * viewer has drawn it, and Chromium does not send a third unacknowledged one: a slow viewer gets
 * fewer frames, not older ones.
 */
import type {
  ByteChannel,
  ChannelListener,
  BrowserDialer,
} from '../../../runtime/browser-host/channel/channel.ts'
import type { Clock, Timer } from '../../../runtime/lib/clock.ts'
import { socketCodes } from '../../server/closing.ts'
import { actOf } from '../../../runtime/browser-host/cdp-rules/client-acts.ts'
import type { InputMessage } from '../messages.ts'
import type { ViewSink, ViewSource } from '../view-source.ts'
import { toCdp } from './screencast-input.ts'
import { liveLimits } from '../limits.ts'

interface Page {
  readonly sessionId: string
  readonly targetId: string
  isVisible: boolean
  /** The call that starts its screencast, until it is answered. */
  starting?: number | undefined
}

interface Frame {
  readonly page: Page
  /** Chromium's number of the frame, for its acknowledgement. */
  readonly number: number
  readonly jpeg: Buffer
  readonly width: number
  readonly height: number
}

/** The fields of CDP messages that are read here. */
interface CdpMessage {
  readonly id?: number
  readonly method?: string
  readonly sessionId?: string
  readonly params?: {
    readonly sessionId?: string | number
    readonly targetInfo?: { readonly type: string; readonly targetId: string }
    readonly visible?: boolean
    readonly data?: string
    readonly metadata?: { readonly deviceWidth: number; readonly deviceHeight: number }
  }
}

const framing = {
  format: 'jpeg',
  quality: liveLimits.screencastQuality,
  maxWidth: liveLimits.screencastSidePx,
  maxHeight: liveLimits.screencastSidePx,
}

export class Screencast implements ViewSource, ChannelListener {
  readonly #dialer: BrowserDialer
  readonly #sink: ViewSink
  readonly #clock: Clock
  #timer: Timer | undefined
  #channel: ByteChannel | undefined
  #lastId = 0
  /** The number of calls without an answer yet. */
  #unanswered = 0
  /** By CDP session; the page that became visible last is the last. */
  readonly #pages = new Map<string, Page>()
  #shown: Page | undefined
  #size = ''
  /** Frames that the viewer has not drawn yet, oldest first. */
  readonly #inFlight: Frame[] = []
  #waiting: Frame | undefined

  private constructor(dialer: BrowserDialer, sink: ViewSink, clock: Clock) {
    this.#dialer = dialer
    this.#sink = sink
    this.#clock = clock
  }

  /** Throws `DialFailed`. */
  static async open(
    dialer: BrowserDialer,
    devtoolsPath: string,
    sink: ViewSink,
    clock: Clock,
  ): Promise<Screencast> {
    const screencast = new Screencast(dialer, sink, clock)
    screencast.#channel = await dialer.dial(devtoolsPath, screencast)
    return screencast
  }

  start(): void {
    this.#call('Target.setAutoAttach', {
      autoAttach: true,
      waitForDebuggerOnStart: false,
      flatten: true,
      filter: [{ type: 'page' }],
    })
    this.#schedulePoll()
  }

  /** A page takes JSON messages only. */
  bytes(): void {
    this.#sink.end(socketCodes.policyViolation, 'Binary frames are accepted only for desktops.')
  }

  /** Drops input when a hanging page has too many unanswered calls. */
  input(message: InputMessage): void {
    if (!this.#shown || this.#unanswered >= liveLimits.screencastInputsUnanswered) return
    const { method, params } = toCdp(message)
    const act = actOf(method, params)
    if (act) this.#sink.acted(act)
    this.#call(method, params, this.#shown.sessionId)
  }

  drawn(): void {
    const frame = this.#inFlight.shift()
    if (frame) this.#acknowledge(frame)
    const next = this.#waiting
    this.#waiting = undefined
    if (next) this.#show(next)
  }

  /** Not needed: `drawn` shows when there is room. */
  drained(): void {}

  received(data: Uint8Array): void {
    const message = JSON.parse(Buffer.from(data).toString('utf8')) as CdpMessage
    if (message.id !== undefined) this.#answered(message.id)
    switch (message.method) {
      case 'Target.attachedToTarget':
        return this.#attached(message)
      case 'Target.detachedFromTarget':
        return this.#detached(String(message.params?.sessionId))
      case 'Page.screencastVisibilityChanged':
        return this.#visibility(message.sessionId ?? '', message.params?.visible ?? false)
      case 'Page.screencastFrame':
        return this.#frame(message)
    }
  }

  lost(): void {
    this.#timer?.cancel()
    this.#channel = undefined
    this.#sink.lost()
  }

  close(): void {
    this.#timer?.cancel()
    this.#channel?.close()
    this.#channel = undefined
  }

  #attached({ params }: CdpMessage): void {
    if (params?.targetInfo?.type !== 'page' || this.#pages.size >= liveLimits.screencastPages)
      return
    const { targetId } = params.targetInfo
    const page: Page = { sessionId: String(params.sessionId), targetId, isVisible: true }
    this.#pages.set(page.sessionId, page)
    this.#start(page)
    this.#choose()
  }

  #start(page: Page): void {
    page.starting = this.#call('Page.startScreencast', framing, page.sessionId)
  }

  #answered(id: number): void {
    this.#unanswered--
    for (const page of this.#pages.values()) if (page.starting === id) page.starting = undefined
  }

  #detached(sessionId: string): void {
    if (this.#pages.delete(sessionId)) this.#choose()
  }

  /**
   * Chromium reports whether the page is visible before it answers the start of a screencast. This
   * is not a change of visibility: if it counted as one, two visible pages would alternate for
   * ever.
   */
  #visibility(sessionId: string, isVisible: boolean): void {
    const page = this.#pages.get(sessionId)
    if (!page) return
    page.isVisible = isVisible
    if (isVisible && page.starting === undefined) this.#toFront(page)
    this.#choose()
  }

  #toFront(page: Page): void {
    this.#pages.delete(page.sessionId)
    this.#pages.set(page.sessionId, page)
  }

  #schedulePoll(): void {
    this.#timer = this.#clock.timer(liveLimits.screencastTabsMs, () => {
      void this.#pollFrontPage().finally(() => {
        if (this.#channel) this.#schedulePoll()
      })
    })
  }

  /** Asks Chromium which page is in front; changes nothing if that fails. */
  async #pollFrontPage(): Promise<void> {
    if (this.#pages.size < 2) return
    const targets = await this.#dialer.get('/json/list').then(
      (list) => JSON.parse(list) as readonly { readonly id: string }[],
      () => [],
    )
    const pages = [...this.#pages.values()]
    for (const { id } of targets) {
      const page = pages.find(({ targetId }) => targetId === id)
      if (!page?.isVisible) continue
      this.#toFront(page)
      return this.#choose()
    }
  }

  /** Restarts the screencast of the chosen page, so that it sends a frame at once. */
  #choose(): void {
    const pages = [...this.#pages.values()]
    const chosen = pages.findLast(({ isVisible }) => isVisible) ?? pages.at(-1)
    if (chosen === this.#shown) return
    this.#shown = chosen
    this.#waiting = undefined
    if (!chosen) return
    this.#call('Page.stopScreencast', {}, chosen.sessionId)
    this.#start(chosen)
  }

  #frame({ sessionId = '', params }: CdpMessage): void {
    const page = this.#pages.get(sessionId)
    if (!page || page !== this.#shown || !params?.data || !params.metadata) return
    const frame: Frame = {
      page,
      number: Number(params.sessionId),
      jpeg: Buffer.from(params.data, 'base64'),
      width: Math.round(params.metadata.deviceWidth),
      height: Math.round(params.metadata.deviceHeight),
    }
    if (this.#inFlight.length < liveLimits.screencastFramesInFlight) return this.#show(frame)
    // After the shown page has changed, one more frame can arrive; the newest one is kept.
    if (this.#waiting) this.#acknowledge(this.#waiting)
    this.#waiting = frame
  }

  #show(frame: Frame): void {
    const { width, height } = frame
    const size = `${width}x${height}`
    if (size !== this.#size) this.#sink.tell({ type: 'screen', width, height })
    this.#size = size
    this.#inFlight.push(frame)
    this.#sink.show(frame.jpeg)
  }

  #acknowledge({ page, number }: Frame): void {
    if (!this.#pages.has(page.sessionId)) return
    this.#call('Page.screencastFrameAck', { sessionId: number }, page.sessionId)
  }

  /** Returns the call's id. */
  #call(method: string, params: object, sessionId?: string): number {
    const id = ++this.#lastId
    const channel = this.#channel
    if (!channel) return id
    this.#unanswered++
    channel.send(Buffer.from(JSON.stringify({ id, method, params, sessionId })), false)
    if (channel.bufferedBytes > liveLimits.liveToDesktopBytes) {
      this.#sink.end(socketCodes.overloaded, 'The browser cannot keep up with the data sent to it.')
    }
    return id
  }
}
