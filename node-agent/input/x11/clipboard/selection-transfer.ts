/** Sends a long content in parts: the requestor deletes each part to get the next one (INCR). */
import type { Clock, Timer } from '../../../../runtime/lib/clock.ts'
import type { DisplayConnection } from '../display-connection.ts'
import type { SelectionContent } from './selection.ts'
import type { XEvent } from '../x-client.ts'
import { inputLimits } from '../../limits.ts'

const removed = 1

interface Options {
  readonly display: DisplayConnection
  readonly clock: Clock
  readonly incr: number
  readonly requestor: number
  readonly property: number
  readonly content: SelectionContent
  /** `whole` is false if the requestor stopped responding. */
  readonly ended: (whole: boolean) => void
}

export class SelectionTransfer {
  readonly #options: Options
  #sentBytes = 0
  #last = false
  #deadline: Timer | undefined

  constructor(options: Options) {
    this.#options = options
    const { display, requestor, content, incr } = options
    display.watchProperties(requestor, true)
    const size = Buffer.alloc(4)
    size.writeUInt32LE(content.data.length)
    this.#put(incr, 32, size)
  }

  get requestor(): number {
    return this.#options.requestor
  }

  take(event: XEvent): void {
    const { requestor, property, content, ended } = this.#options
    if (event.name !== 'PropertyNotify' || event.state !== removed) return
    if (event.wid !== requestor || event.atom !== property) return
    if (this.#last) {
      this.#deadline?.cancel()
      return ended(true)
    }
    // An empty part marks the end.
    const end = this.#sentBytes + inputLimits.clipboardPartBytes
    const part = content.data.subarray(this.#sentBytes, end)
    this.#sentBytes += part.length
    this.#last = part.length === 0
    this.#put(content.type, content.format, part)
  }

  #put(type: number, format: 8 | 32, data: Buffer): void {
    const { display, clock, requestor, property, ended } = this.#options
    this.#deadline?.cancel()
    this.#deadline = clock.timer(inputLimits.clipboardAnswerMs, () => ended(false))
    display.tell((client) => client.ChangeProperty(0, requestor, property, type, format, data))
  }
}
