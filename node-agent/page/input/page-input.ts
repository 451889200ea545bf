/**
 * Mouse, keyboard and clipboard of a browser without a display, through CDP, on the visible page.
 */
import { randomUUID } from 'node:crypto'
import type { MouseButton } from '../../../proto/commands/os-control/pointer.ts'
import type { CdpPipe } from '../../cdp/cdp.ts'
import type { InputDevice, Point } from '../../input/input-device.ts'
import { PageClipboard } from './page-clipboard.ts'
import type { PageControl } from '../page-control.ts'
import { PageKeyboard } from './page-keyboard.ts'
import { PagePointer } from './page-pointer.ts'

export class PageInput implements InputDevice {
  readonly #pages: PageControl
  /** Public for code that has the tab already; pointer and keyboard remember what is pressed. */
  readonly pointer: PagePointer
  readonly keyboard: PageKeyboard
  readonly #clipboard: PageClipboard

  /** `ownContextId`: the browser context of the agent's own pages. */
  constructor(pages: PageControl, cdp: CdpPipe, ownContextId: string) {
    this.#pages = pages
    this.pointer = new PagePointer(cdp.clock)
    this.keyboard = new PageKeyboard(cdp.clock)
    this.#clipboard = new PageClipboard(cdp, ownContextId)
  }

  async move(to: Point): Promise<void> {
    await this.pointer.beginMove(await this.#pages.selected(), to)
  }

  async press(at: Point, button: MouseButton): Promise<void> {
    await this.pointer.press(await this.#pages.selected(), at, button)
  }

  async release(at: Point, button: MouseButton): Promise<void> {
    await this.pointer.release(await this.#pages.selected(), at, button)
  }

  async click(at: Point, button: MouseButton): Promise<void> {
    await this.pointer.click(await this.#pages.selected(), at, button)
  }

  async doubleClick(at: Point, button: MouseButton): Promise<void> {
    await this.pointer.click(await this.#pages.selected(), at, button, 2)
  }

  async drag(from: Point, to: Point, button: MouseButton): Promise<void> {
    await this.pointer.drag(await this.#pages.selected(), from, to, button)
  }

  async scroll(at: Point, delta: Point, steps: number): Promise<void> {
    await this.pointer.scroll(await this.#pages.selected(), at, delta, steps)
  }

  async shortcut(keys: readonly string[], holdMs: number): Promise<void> {
    await this.keyboard.shortcut(await this.#pages.selected(), keys, holdMs)
  }

  async type(text: string, delayMs: number): Promise<void> {
    await this.keyboard.type(await this.#pages.selected(), text, delayMs)
  }

  readClipboard(): Promise<string> {
    return this.#clipboard.read()
  }

  writeClipboard(text: string): Promise<void> {
    return this.#clipboard.write(text)
  }

  /** Puts a random text on the clipboard first, to detect whether the page copied anything. */
  async copy(): Promise<string> {
    const tab = await this.#pages.selected()
    const nothing = randomUUID()
    let copied = ''
    await this.#clipboard.withText(nothing, async () => {
      await this.keyboard.shortcut(tab, ['Ctrl', 'c'])
      const text = await this.#clipboard.read()
      if (text === nothing) return 'restore'
      copied = text
      return 'keep'
    })
    return copied
  }

  async paste(text: string): Promise<void> {
    const tab = await this.#pages.selected()
    await this.#clipboard.withText(text, async () => {
      await this.keyboard.shortcut(tab, ['Ctrl', 'v'])
      return 'restore'
    })
  }
}
