/** Mouse and keyboard of one display as one hand has them: actions in order. */
import { systemClock, type Clock } from '../../runtime/clock.ts'
import { InOrder as ActionsInOrder } from '../commands/in-order.ts'
import { DisplayConnection, type Screen } from './display-connection.ts'
import { Keyboard } from './keyboard.ts'
import type { Point } from './pointer-path.ts'
import { Pointer, type MouseButton } from './pointer.ts'

export class OsInput {
  readonly #display: DisplayConnection
  readonly #pointer: Pointer
  readonly #keyboard: Keyboard
  readonly #actions = new ActionsInOrder()

  private constructor(display: DisplayConnection, clock: Clock) {
    this.#display = display
    this.#pointer = new Pointer(display, clock)
    this.#keyboard = new Keyboard(display, clock)
  }

  static async open(displayNumber: number, { clock = systemClock } = {}): Promise<OsInput> {
    return new OsInput(await DisplayConnection.open(displayNumber, clock), clock)
  }

  get screen(): Screen {
    return this.#display.screen
  }

  move(to: Point): Promise<void> {
    return this.#actions.run(() => this.#pointer.move(to))
  }

  press(at: Point, button?: MouseButton): Promise<void> {
    return this.#actions.run(() => this.#pointer.press(at, button))
  }

  release(at: Point, button?: MouseButton): Promise<void> {
    return this.#actions.run(() => this.#pointer.release(at, button))
  }

  click(at: Point, button?: MouseButton): Promise<void> {
    return this.#actions.run(() => this.#pointer.click(at, button))
  }

  doubleClick(at: Point, button?: MouseButton): Promise<void> {
    return this.#actions.run(() => this.#pointer.click(at, button, 2))
  }

  drag(from: Point, to: Point, button?: MouseButton): Promise<void> {
    return this.#actions.run(() => this.#pointer.drag(from, to, button))
  }

  scroll(at: Point, deltaX: number, deltaY: number, steps?: number): Promise<void> {
    return this.#actions.run(() => this.#pointer.scroll(at, deltaX, deltaY, steps))
  }

  shortcut(keys: readonly string[], holdTimeMs?: number): Promise<void> {
    return this.#actions.run(() => this.#keyboard.shortcut(keys, holdTimeMs))
  }

  type(text: string, delayMs?: number): Promise<void> {
    return this.#actions.run(() => this.#keyboard.type(text, delayMs))
  }

  close(): void {
    this.#display.close()
  }
}
