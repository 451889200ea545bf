/** Mouse, keyboard and clipboard of one display. */
import type { MouseButton } from '../../../proto/commands/os-control/pointer.ts'
import { mayTryElsewhere } from '../../../proto/errors.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import { retry } from '../../../runtime/lib/retry.ts'
import { captureScreen } from './capture.ts'
import type { InputDevice, PositionedImage, Point } from '../input-device.ts'
import { Clipboard } from './clipboard/clipboard.ts'
import { DisplayConnection, type ScreenSize, type XAddress } from './display-connection.ts'
import { closeFileChoosers } from './file-chooser.ts'
import { Keyboard, type PageHandles } from './keyboard.ts'
import { Pointer } from './pointer.ts'
import { inputLimits } from '../limits.ts'

export class OsInput implements InputDevice {
  readonly #display: DisplayConnection
  readonly #pointer: Pointer
  readonly #keyboard: Keyboard
  readonly #clipboard: Clipboard

  private constructor(
    display: DisplayConnection,
    pointer: Pointer,
    keyboard: Keyboard,
    clipboard: Clipboard,
  ) {
    this.#display = display
    this.#pointer = pointer
    this.#keyboard = keyboard
    this.#clipboard = clipboard
  }

  /** An X server that has just started, or has many clients at once, may refuse the first attempts. */
  static open(
    address: XAddress,
    clock: Clock,
    pageHandles: PageHandles = async () => true,
  ): Promise<OsInput> {
    const attempts = {
      withinMs: inputLimits.displayRefusesMs,
      waitMs: inputLimits.displayRetryMs,
      isRetryable: mayTryElsewhere,
    }
    return retry(clock, attempts, () => OsInput.#openOnce(address, clock, pageHandles))
  }

  static async #openOnce(
    address: XAddress,
    clock: Clock,
    pageHandles: PageHandles,
  ): Promise<OsInput> {
    const display = await DisplayConnection.open(address, clock)
    try {
      const clipboard = await Clipboard.open(display, clock)
      const keyboard = new Keyboard(display, clipboard, clock, pageHandles)
      return new OsInput(display, new Pointer(display, clock), keyboard, clipboard)
    } catch (error) {
      display.close()
      throw error
    }
  }

  /** Also true after the display has ended the connection. */
  get closed(): boolean {
    return this.#display.closed
  }

  get screen(): ScreenSize {
    return this.#display.screen
  }

  move(to: Point): Promise<void> {
    return this.#pointer.move(to)
  }

  press(at: Point, button: MouseButton): Promise<void> {
    return this.#pointer.press(at, button)
  }

  release(at: Point, button: MouseButton): Promise<void> {
    return this.#pointer.release(at, button)
  }

  click(at: Point, button: MouseButton): Promise<void> {
    return this.#pointer.click(at, button, 1)
  }

  doubleClick(at: Point, button: MouseButton): Promise<void> {
    return this.#pointer.click(at, button, 2)
  }

  drag(from: Point, to: Point, button: MouseButton): Promise<void> {
    return this.#pointer.drag(from, to, button)
  }

  scroll(at: Point, delta: Point, steps: number): Promise<void> {
    return this.#pointer.scroll(at, delta, steps)
  }

  async shortcut(keys: readonly string[], holdMs: number): Promise<void> {
    await this.#pointer.hasFocused()
    return this.#keyboard.shortcut(keys, holdMs)
  }

  async type(text: string, delayMs: number): Promise<void> {
    await this.#pointer.hasFocused()
    return this.#keyboard.type(text, delayMs)
  }

  readClipboard(): Promise<string> {
    return this.#clipboard.read()
  }

  writeClipboard(text: string): Promise<void> {
    return this.#clipboard.write(text)
  }

  async copy(): Promise<string> {
    await this.#pointer.hasFocused()
    const press = () => this.#keyboard.shortcut(['ctrl', 'c'], 0)
    const copied = await this.#clipboard.changes(press, inputLimits.copyMs)
    return copied ? this.#clipboard.read() : ''
  }

  async paste(text: string): Promise<void> {
    await this.#pointer.hasFocused()
    return this.#keyboard.paste(text)
  }

  /** A picture of the whole screen. */
  screenshot(): Promise<PositionedImage> {
    return captureScreen(this.#display)
  }

  closeFileChoosers(): Promise<void> {
    return closeFileChoosers(this.#display)
  }

  close(): void {
    this.#display.close()
  }
}
