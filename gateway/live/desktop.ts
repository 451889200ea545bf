/** Shows the desktop of a session: relays RFB between the viewer and the VNC server. */
import { limits } from '../../proto/limits.ts'
import type { ByteStream, Door, StreamListener } from '../../runtime/channel/channel.ts'
import { socketCodes } from '../server/closing.ts'
import type { LiveMode } from '../tokens/live-token.ts'
import { HeldInput } from './held-input.ts'
import type { Eyes, Picture } from './picture.ts'
import { RfbFilter, RfbRefused } from './rfb-filter.ts'

export class Desktop implements Picture, StreamListener {
  readonly #eyes: Eyes
  /** Set for viewers that may only look. */
  readonly #filter: RfbFilter | undefined
  readonly #held = new HeldInput()
  #stream: ByteStream | undefined
  #isPaused = false

  private constructor(eyes: Eyes, mode: LiveMode) {
    this.#eyes = eyes
    this.#filter = mode === 'control' ? undefined : new RfbFilter()
  }

  /** Throws `DialFailed`. */
  static async open(door: Door, eyes: Eyes, mode: LiveMode): Promise<Desktop> {
    const desktop = new Desktop(eyes, mode)
    desktop.#stream = await door.dialDesktop(desktop)
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
      this.#eyes.end(socketCodes.policyViolation, error.message)
    }
    if (stream.bufferedBytes > limits.liveToDesktopBytes) {
      this.#eyes.end(
        socketCodes.overloaded,
        'The desktop does not keep up with what is sent to it.',
      )
    }
  }

  received(data: Uint8Array): void {
    this.#eyes.show(data)
    if (this.#isPaused || this.#eyes.bufferedBytes <= limits.livePauseBytes) return
    this.#isPaused = true
    this.#stream?.pause()
  }

  drained(): void {
    if (!this.#isPaused || this.#eyes.bufferedBytes > limits.livePauseBytes / 2) return
    this.#isPaused = false
    this.#stream?.resume()
  }

  lost(): void {
    this.#stream = undefined
    this.#eyes.lost()
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
