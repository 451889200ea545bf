/**
 * Mouse input on one display. A motion or press is over when it is buffered: the connection writes it
 * at the end of this turn of the event loop, so the caller's answer does not compete with the programs
 * that the event wakes. `askProcessedMs` later, or at the next action, the display is asked whether it
 * has processed the event; the next action waits for that reply.
 */
import type { MouseButton } from '../../../proto/commands/os-control/pointer.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { sleep, type Clock, type Timer } from '../../../runtime/lib/clock.ts'
import type { Point } from '../input-device.ts'
import type { DisplayConnection, ScreenSize } from './display-connection.ts'
import { dragPath, wheelPlan } from '../pointer-path.ts'
import { nodeAgentLimits } from '../../limits.ts'
import { inputLimits } from '../limits.ts'

const numberOf = { left: 1, middle: 2, right: 3 } as const

export class Pointer {
  readonly #display: DisplayConnection
  readonly #clock: Clock
  #pressedMs = -Infinity
  /** Set while the display has not been asked whether it has processed the last event. */
  #unasked: { readonly timer: Timer; readonly onProcessed: () => void } | undefined
  /** Rejects if the display has ended meanwhile. */
  #processed: Promise<void> = Promise.resolve()

  constructor(display: DisplayConnection, clock: Clock) {
    this.#display = display
    this.#clock = clock
  }

  /** Waits until the browser has had time to focus the element that was clicked. */
  async hasFocused(): Promise<void> {
    await this.#lastProcessed()
    const leftMs = this.#pressedMs + inputLimits.clickEffectMs - this.#clock.monotonic()
    if (leftMs > 0) await sleep(this.#clock, leftMs)
  }

  async move(to: Point): Promise<void> {
    await this.#lastProcessed()
    this.#moveTo(to)
    this.#send()
  }

  async press(at: Point, button: MouseButton): Promise<void> {
    await this.#lastProcessed()
    this.#moveTo(at)
    this.#display.button(numberOf[button], true)
    this.#sendPress()
  }

  async release(at: Point, button: MouseButton): Promise<void> {
    await this.#lastProcessed()
    this.#moveTo(at)
    this.#display.button(numberOf[button], false)
    this.#send()
  }

  async click(at: Point, button: MouseButton, times: 1 | 2): Promise<void> {
    await this.#lastProcessed()
    this.#moveTo(at)
    for (let i = 0; i < times; i++) {
      // Chromium merges two presses in the same millisecond, and a busy machine may delay the
      // second one too long for a double click; so the X server itself waits between them.
      const gapMs = i > 0 ? inputLimits.doubleClickGapMs : 0
      this.#display.button(numberOf[button], true, gapMs)
      this.#display.button(numberOf[button], false)
    }
    this.#sendPress()
  }

  async drag(from: Point, to: Point, button: MouseButton): Promise<void> {
    mustBeOnScreen(from, this.#display.screen, ['startX', 'startY'])
    mustBeOnScreen(to, this.#display.screen, ['endX', 'endY'])
    await this.press(from, button)
    await this.#lastProcessed()
    try {
      for (const point of dragPath(from, to)) {
        await this.#moveAndSettle(point)
        await sleep(this.#clock, nodeAgentLimits.dragStepMs)
      }
      // Chromium accepts a drop where the page has answered a motion, so the last motion is sent
      // twice.
      for (const x of [to.x === 0 ? 1 : to.x - 1, to.x]) {
        await sleep(this.#clock, inputLimits.dragDwellMs)
        await this.#moveAndSettle({ x, y: to.y })
      }
      await sleep(this.#clock, inputLimits.dragDwellMs)
    } finally {
      this.#display.button(numberOf[button], false)
    }
    await this.#display.settle()
  }

  /** In a drag, pauses count from when the windows have the motion. */
  async #moveAndSettle(to: Point): Promise<void> {
    await this.move(to)
    await this.#lastProcessed()
  }

  /** `delta` is in wheel units, not pixels; `steps` distributes them over time. */
  async scroll(at: Point, delta: Point, steps: number): Promise<void> {
    await this.#lastProcessed()
    this.#moveTo(at)
    for (const buttons of wheelPlan(delta, steps)) {
      for (const button of buttons) {
        this.#display.button(button, true)
        this.#display.button(button, false)
      }
      await this.#display.settle()
      if (steps > 1) await sleep(this.#clock, nodeAgentLimits.scrollStepMs)
    }
  }

  /** What was sent last has reached the windows. Its failure is thrown once. */
  async #lastProcessed(): Promise<void> {
    this.#ask()
    const last = this.#processed
    this.#processed = Promise.resolve()
    await last
  }

  /** Leaves the writing to the connection, and the question to the next action or the timer. */
  #send(onProcessed = () => {}): void {
    const timer = this.#clock.timer(inputLimits.askProcessedMs, () => this.#ask())
    this.#unasked = { timer, onProcessed }
  }

  #ask(): void {
    if (!this.#unasked) return
    const { timer, onProcessed } = this.#unasked
    timer.cancel()
    this.#unasked = undefined
    this.#processed = this.#display.settle().then(onProcessed)
    // The next act throws it, if there is one.
    this.#processed.catch(() => undefined)
  }

  #sendPress(): void {
    this.#send(() => (this.#pressedMs = this.#clock.monotonic()))
  }

  #moveTo(point: Point): void {
    mustBeOnScreen(point, this.#display.screen, ['x', 'y'])
    this.#display.motion(Math.floor(point.x), Math.floor(point.y))
  }
}

function mustBeOnScreen(point: Point, screen: ScreenSize, [x, y]: readonly [string, string]): void {
  const size = `${screen.width}x${screen.height}`
  for (const [name, value, end] of [
    [x, point.x, screen.width],
    [y, point.y, screen.height],
  ] as const) {
    if (value >= 0 && value < end) continue
    const message = `${name} is ${value}, outside the screen of ${size}.`
    throw new ServiceError('bad_request', message, { field: name, screen: size })
  }
}
