/**
 * Mouse, keyboard and clipboard of one session, whichever way they take: X for a session with a
 * display, CDP for one without. Callers see to it that one action has ended before the next begins.
 * Every method throws a `bad_request` that names the field for what cannot be, and resolves once
 * the browser has the input, which is not always when the page has reacted to it.
 */
import type { MouseButton } from '../proto/commands/pointer.ts'

/** Pixels from the top left: of the screen, of the page where there is no screen. */
export interface Point {
  readonly x: number
  readonly y: number
}

export interface Picture {
  readonly png: Uint8Array
  /** Where its top left is, in the coordinates of the hands. */
  readonly left: number
  readonly top: number
}

export interface Hands {
  move(to: Point): Promise<void>
  press(at: Point, button: MouseButton): Promise<void>
  release(at: Point, button: MouseButton): Promise<void>
  click(at: Point, button: MouseButton): Promise<void>
  doubleClick(at: Point, button: MouseButton): Promise<void>
  drag(from: Point, to: Point, button: MouseButton): Promise<void>
  /** Units of the wheel, spread over so many steps. */
  scroll(at: Point, delta: Point, steps: number): Promise<void>
  /** Keys of the contract, down in order, up in reverse, whatever happens in between. */
  shortcut(keys: readonly string[], holdMs: number): Promise<void>
  /** Text of any script. */
  type(text: string, delayMs: number): Promise<void>
  /** Empty when there is no text. */
  readClipboard(): Promise<string>
  writeClipboard(text: string): Promise<void>
  /** The selection, which is on the clipboard then; empty, and nothing touched, without one. */
  copy(): Promise<string>
  /** The clipboard is afterwards what it was before. */
  paste(text: string): Promise<void>
}
