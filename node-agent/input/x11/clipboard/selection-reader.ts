/** Reads the clipboard from the program that owns it (ICCCM §2.4 and §2.7). */
import { ServiceError } from '../../../../proto/errors.ts'
import { sleep, type Clock } from '../../../../runtime/lib/clock.ts'
import type { DisplayConnection } from '../display-connection.ts'
import type { AtomTable, SelectionContent } from './selection.ts'
import type { XEvent, XProperty } from '../x-client.ts'
import { inputLimits } from '../../limits.ts'
import { commandLimits } from '../../../../proto/commands/limits.ts'

const newValue = 0
const selectionNotify = 31

export class SelectionReader {
  readonly #display: DisplayConnection
  readonly #atoms: AtomTable
  readonly #clock: Clock

  constructor(display: DisplayConnection, atoms: AtomTable, clock: Clock) {
    this.#display = display
    this.#atoms = atoms
    this.#clock = clock
  }

  /** The targets (formats) that the owner offers. */
  async targets(): Promise<readonly number[]> {
    const content = await this.content(this.#atoms.targets, inputLimits.clipboardTargets * 4)
    // An owner that does not support TARGETS may still have a text.
    if (content?.format !== 32) return [this.#atoms.utf8, this.#atoms.string]
    const { data } = content
    return Array.from({ length: data.length >> 2 }, (_, i) => data.readUInt32LE(i * 4))
  }

  /** Undefined if the owner does not offer this target. */
  async content(target: number, bytesMax: number): Promise<SelectionContent | undefined> {
    // A new window for each request, so that late events of an earlier one are ignored.
    const window = this.#display.openWindow()
    const events = new Events(this.#display, this.#clock, window, this.#atoms.answer)
    let ended = false
    try {
      const content = await this.#convert(window, events, target, bytesMax)
      ended = true
      return content
    } finally {
      events.close()
      this.#display.closeWindow(window, ended)
    }
  }

  async #convert(window: number, events: Events, target: number, bytesMax: number) {
    const { clipboard, answer, incr } = this.#atoms
    this.#display.tell((client) => client.ConvertSelection(window, clipboard, target, answer, 0))
    if ((await events.converted()) === 0) return undefined
    const first = await this.#take(window, bytesMax)
    if (first.type !== incr) return contentOf(first.type, first.format, [first.data])
    const parts: Buffer[] = []
    for (let bytes = 0; ;) {
      await events.another()
      const part = await this.#take(window, bytesMax - bytes)
      if (part.data.length === 0) return contentOf(part.type, part.format, parts)
      parts.push(part.data)
      bytes += part.data.length
    }
  }

  /**
   * Reads and deletes the property; the deletion tells the owner of a long content to send the next
   * part.
   */
  async #take(window: number, bytesMax: number): Promise<XProperty> {
    const ask = (remove: 0 | 1, words: number) =>
      this.#display.ask<XProperty>((client, reply) => {
        client.GetProperty(remove, window, this.#atoms.answer, 0, 0, words, reply)
      })
    const { type, bytesAfter } = await ask(0, 0)
    if (type !== this.#atoms.incr && bytesAfter > bytesMax) throw tooLargeError()
    return ask(1, Math.ceil(bytesAfter / 4))
  }
}

function contentOf(type: number, format: number, parts: readonly Buffer[]): SelectionContent {
  return { type, format: format === 32 ? 32 : 8, data: Buffer.concat(parts) }
}

/** The events of one request, in order; each wait has a deadline. */
class Events {
  readonly #clock: Clock
  readonly #stop: () => void
  #property: number | undefined
  #values = 0
  #woken = new AbortController()

  constructor(display: DisplayConnection, clock: Clock, window: number, answer: number) {
    this.#clock = clock
    this.#stop = display.listen((event) => this.#take(event, window, answer))
  }

  /** The property that contains the answer; 0 if it was refused. */
  async converted(): Promise<number> {
    await this.#until(() => this.#property !== undefined)
    // The property's events so far belong to the answer itself, or to the notice that it comes in
    // parts.
    this.#values = 0
    return this.#property!
  }

  async another(): Promise<void> {
    await this.#until(() => this.#values > 0)
    this.#values--
  }

  close(): void {
    this.#stop()
  }

  async #until(there: () => boolean): Promise<void> {
    const giveUpAt = this.#clock.monotonic() + inputLimits.clipboardAnswerMs
    while (!there()) {
      const leftMs = giveUpAt - this.#clock.monotonic()
      if (leftMs <= 0) throw unansweredError()
      await sleep(this.#clock, leftMs, this.#woken.signal)
    }
  }

  #take(event: XEvent, window: number, answer: number): void {
    if (event.name === 'PropertyNotify') {
      if (event.wid !== window || event.atom !== answer || event.state !== newValue) return
      this.#values++
    } else if (event.name === 'SelectionNotify' && event.type === selectionNotify) {
      if (event.requestor !== window) return
      this.#property = event.property
    } else return
    this.#woken.abort()
    this.#woken = new AbortController()
  }
}

function unansweredError(): ServiceError {
  const message =
    'The program that owns the clipboard does not answer; copy again, or write the clipboard.'
  return new ServiceError('timeout', message)
}

function tooLargeError(): ServiceError {
  const limit = commandLimits.clipboardBytes
  const message = `The clipboard has more than the ${limit} bytes that can be read.`
  return new ServiceError('too_large', message, { limit })
}
