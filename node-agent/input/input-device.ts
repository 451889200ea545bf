/**
 * Mouse, keyboard and clipboard of one session, through X for a session with a display, otherwise
 * through CDP. Callers must wait for one action to end before starting the next. Every method
 * throws a `bad_request` that names the field for impossible input, and resolves when the browser
 * or its display has received the input, which may be before the page has reacted.
 */
import type { MouseButton } from '../../proto/commands/os-control/pointer.ts'

/** Pixels from the top left of the screen or, without a screen, of the page. */
export interface Point {
  readonly x: number
  readonly y: number
}

export interface PositionedImage {
  readonly png: Uint8Array
  /** The position of its top left, in the same coordinates as input. */
  readonly left: number
  readonly top: number
}

export interface InputDevice {
  move(to: Point): Promise<void>
  press(at: Point, button: MouseButton): Promise<void>
  release(at: Point, button: MouseButton): Promise<void>
  click(at: Point, button: MouseButton): Promise<void>
  doubleClick(at: Point, button: MouseButton): Promise<void>
  drag(from: Point, to: Point, button: MouseButton): Promise<void>
  /** `delta` is in wheel units, distributed over `steps`. */
  scroll(at: Point, delta: Point, steps: number): Promise<void>
  /** Presses the contract's keys in order and releases them in reverse, even after a failure. */
  shortcut(keys: readonly string[], holdMs: number): Promise<void>
  /** Any script is supported. */
  type(text: string, delayMs: number): Promise<void>
  /** Empty if the clipboard has no text. */
  readClipboard(): Promise<string>
  writeClipboard(text: string): Promise<void>
  /**
   * Copies the selection to the clipboard and returns it; without a selection, returns '' and
   * leaves the clipboard unchanged.
   */
  copy(): Promise<string>
  /** The clipboard has its previous content afterwards. */
  paste(text: string): Promise<void>
}
