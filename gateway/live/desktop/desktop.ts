/** Shows the desktop of a session: relays RFB between the viewer and the VNC server. */
import type {
  ByteStream,
  BrowserDialer,
  StreamListener,
} from '../../../runtime/browser-host/channel/channel.ts'
import { socketCodes } from '../../server/closing.ts'
import type { LiveMode } from '../../sessions/tokens/live-token.ts'
import { HeldInput } from './held-input.ts'
import type { ViewSink, ViewSource } from '../view-source.ts'
import { RfbFilter, RfbRefused } from './rfb-filter.ts'
import { liveLimits } from '../limits.ts'

export class DesktopStream implements ViewSource, StreamListener {
  readonly #sink: ViewSink
  /** Only for view-only viewers. */
  readonly #filter: RfbFilter | undefined
  readonly #held: HeldInput
  #stream: ByteStream | undefined
  #isPaused = false

  private constructor(sink: ViewSink, mode: LiveMode) {
    this.#sink = sink
    this.#filter = mode === 'control' ? undefined : new RfbFilter()
    this.#held = new HeldInput((act) => sink.acted(act))
  }

  /** Throws `DialFailed`. */
  static async open(dialer: BrowserDialer, sink: ViewSink, mode: LiveMode): Promise<DesktopStream> {
    const desktop = new DesktopStream(sink, mode)
    desktop.#stream = await dialer.dialDesktop(desktop)
    return desktop
  }

  start(): void {
    this.#stream?.resume()
  }

  /** Input in control mode is not filtered, because the VNC server checks its own protocol. */
  bytes(data: Uint8Array): void {
    const stream = this.#stream
    if (!stream) return
    try {
      const passed = this.#filter ? this.#filter.pass(data) : Buffer.from(data)
      if (passed.length > 0) stream.send(passed)
      this.#held.watch(passed)
    } catch (error) {
      if (!(error instanceof RfbRefused)) throw error
      this.#sink.end(socketCodes.policyViolation, error.message)
    }
    if (stream.bufferedBytes > liveLimits.liveToDesktopBytes) {
      this.#sink.end(socketCodes.overloaded, 'The desktop cannot keep up with the data sent to it.')
    }
  }

  received(data: Uint8Array): void {
    this.#sink.show(data)
    if (this.#isPaused || this.#sink.bufferedBytes <= liveLimits.livePauseBytes) return
    this.#isPaused = true
    this.#stream?.pause()
  }

  drained(): void {
    if (!this.#isPaused || this.#sink.bufferedBytes > liveLimits.livePauseBytes / 2) return
    this.#isPaused = false
    this.#stream?.resume()
  }

  lost(): void {
    this.#stream = undefined
    this.#sink.lost()
  }

  close(): void {
    this.#stream?.send(this.#held.release())
    this.#stream?.close()
    this.#stream = undefined
  }

  /** Input and frames of a desktop are part of the RFB bytes. */
  input(): void {}
  drawn(): void {}
}
