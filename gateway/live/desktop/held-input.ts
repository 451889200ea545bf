/**
 * Tracks the keys and buttons that a viewer holds down on a desktop, to release them when the
 * viewer is disconnected. A key such as Ctrl would otherwise stay pressed for all users. The same
 * messages tell what the viewer does.
 */
import type { ClientAct } from '../../../runtime/browser-host/cdp-rules/client-acts.ts'
import { RfbFilter, RfbRefused } from './rfb-filter.ts'
import { liveLimits } from '../limits.ts'

const keyEvent = 4
const pointerEvent = 5
/** Of a pointer's mask: left, middle and right; the wheel in four directions. */
const [buttons, wheel] = [0b111, 0b1111000]

export class HeldInput {
  #reader: RfbFilter | undefined = new RfbFilter((message) => this.#note(message))
  readonly #keysyms = new Set<number>()
  readonly #acted: (act: ClientAct) => void
  /** The last pointer message, while a button is down. */
  #pointer: Buffer | undefined

  constructor(acted: (act: ClientAct) => void) {
    this.#acted = acted
  }

  /** Reads the viewer's messages; stops at the first one that cannot be parsed. */
  watch(data: Uint8Array): void {
    try {
      this.#reader?.pass(data)
    } catch (error) {
      if (!(error instanceof RfbRefused)) throw error
      this.#reader = undefined
    }
  }

  /** Returns the messages that release all keys and buttons. */
  release(): Buffer {
    const keys = [...this.#keysyms].map((keysym) => {
      const up = Buffer.alloc(8)
      up.writeUInt8(keyEvent, 0)
      up.writeUInt32BE(keysym, 4)
      return up
    })
    const { x, y } = {
      x: this.#pointer?.readUInt16BE(2) ?? 0,
      y: this.#pointer?.readUInt16BE(4) ?? 0,
    }
    const up = Buffer.of(pointerEvent, 0, x >> 8, x & 255, y >> 8, y & 255)
    return Buffer.concat(this.#pointer ? [...keys, up] : keys)
  }

  #note(message: Buffer): void {
    if (message[0] === pointerEvent) this.#notePointer(message)
    if (message[0] !== keyEvent) return
    const keysym = message.readUInt32BE(4)
    if (message[1] === 0) this.#keysyms.delete(keysym)
    else {
      this.#acted({ act: 'keys', count: 1 })
      if (this.#keysyms.size < liveLimits.rfbKeysHeld) this.#keysyms.add(keysym)
    }
  }

  #notePointer(message: Buffer): void {
    const pressed = message[1]! & ~(this.#pointer?.[1] ?? 0)
    this.#pointer = message[1] === 0 ? undefined : Buffer.from(message)
    const at = { x: message.readUInt16BE(2), y: message.readUInt16BE(4) }
    if (pressed & buttons) this.#acted({ act: 'click', ...at })
    else if (pressed & wheel) this.#acted({ act: 'scroll', count: 1, ...at })
  }
}
