/** Keyboard input on one display. */
import { ServiceError } from '../../../proto/errors.ts'
import { sleep, type Clock } from '../../../runtime/lib/clock.ts'
import { truncateText } from '../../../runtime/lib/text/clean.ts'
import type { Clipboard } from './clipboard/clipboard.ts'
import type { DisplayConnection } from './display-connection.ts'
import { keyLayout, type KeyLayout } from './key-layout.ts'
import { keysymOfName } from '../key-names.ts'
import { characterSteps, fewestSteps, type CharacterStroke, type TextStep } from './text-plan.ts'
import { inputLimits } from '../limits.ts'

const capsLock = keysymOfName('capslock')

/**
 * Waits until the visible page has handled the input it was sent; false if it does not within a
 * time.
 */
export type PageHandles = (withinMs: number) => Promise<boolean>

export class Keyboard {
  readonly #display: DisplayConnection
  readonly #clipboard: Clipboard
  readonly #clock: Clock
  readonly #pageHandles: PageHandles
  #shortcutMs = -Infinity

  constructor(
    display: DisplayConnection,
    clipboard: Clipboard,
    clock: Clock,
    pageHandles: PageHandles,
  ) {
    this.#display = display
    this.#clipboard = clipboard
    this.#clock = clock
    this.#pageHandles = pageHandles
  }

  /** Presses all keys in order and releases them in reverse, even after a failure. */
  async shortcut(keys: readonly string[], holdMs: number): Promise<void> {
    const wantsCapsLock = keys.some((name) => keysymOfName(name) === capsLock)
    await this.#withFreeKeys(!wantsCapsLock, (layout) => this.#together(keys, layout, holdMs))
    this.#shortcutMs = this.#clock.monotonic()
  }

  async type(text: string, delayMs: number): Promise<void> {
    // After a shortcut the browser first asks the page whether it handles it, and meanwhile sends
    // input to the page; a URL typed after the shortcut for the address bar would lose its start.
    const leftMs = this.#shortcutMs + inputLimits.shortcutEffectMs - this.#clock.monotonic()
    if (leftMs > 0) await sleep(this.#clock, leftMs)
    await this.#withFreeKeys(true, async (layout) => {
      const characters = characterSteps(text, layout)
      const steps = delayMs > 0 ? characters : fewestSteps(characters)
      await this.#type(steps, layout, delayMs)
    })
  }

  async paste(text: string): Promise<void> {
    await this.#withFreeKeys(true, (layout) => this.#paste(text, layout))
  }

  /**
   * Releases keys that anybody holds down, as they would modify or swallow strokes, and turns
   * CapsLock off temporarily: it changes letters, and browsers do not accept Ctrl+V with it.
   */
  async #withFreeKeys(
    withoutCapsLock: boolean,
    use: (layout: KeyLayout) => Promise<void>,
  ): Promise<void> {
    const { keymap, capsLocked, down } = await this.#display.keyboard()
    const layout = keyLayout(keymap)
    for (const keycode of down) this.#display.key(keycode, false)
    const aside = withoutCapsLock && capsLocked
    if (aside) this.#stroke(keycodeOf('capslock', layout))
    try {
      await use(layout)
    } finally {
      if (aside) this.#stroke(keycodeOf('capslock', layout))
      await this.#display.settle()
    }
  }

  async #together(keys: readonly string[], layout: KeyLayout, holdMs = 0): Promise<void> {
    const keycodes = [...new Set(keys.map((name) => keycodeOf(name, layout)))]
    const down: number[] = []
    try {
      for (const keycode of keycodes) {
        down.unshift(keycode)
        this.#display.key(keycode, true)
      }
      await this.#display.settle()
      if (holdMs > 0) await sleep(this.#clock, holdMs)
    } finally {
      for (const keycode of down) this.#display.key(keycode, false)
    }
    await this.#display.settle()
  }

  async #type(steps: readonly TextStep[], layout: KeyLayout, delayMs: number): Promise<void> {
    for (const [i, step] of steps.entries()) {
      if (delayMs > 0 && i > 0) await sleep(this.#clock, delayMs)
      if (step.kind === 'strokes') await this.#strokes(step.strokes, layout)
      else await this.#paste(step.text, layout)
    }
  }

  /**
   * A busy page asks for the text late, so it is offered until the page has handled the shortcut.
   * Throws `conflict` if no program asked for it, and `timeout` if that cannot be known.
   */
  async #paste(text: string, layout: KeyLayout): Promise<void> {
    let isHandled = false
    const isTaken = await this.#clipboard.lend(text, async () => {
      await this.#together(['ctrl', 'v'], layout)
      isHandled = await this.#pageHandles(inputLimits.pasteHandledMs)
    })
    if (isHandled && isTaken) return
    const start = JSON.stringify(truncateText(text, inputLimits.toldTextChars))
    const rest = 'What follows was not typed. Characters without a key of their own are pasted.'
    if (isHandled) {
      const message = `Nothing accepted ${start}: click into a field first. ${rest}`
      throw new ServiceError('conflict', message)
    }
    const message = `The page was too busy to say whether it accepted ${start}: check it. ${rest}`
    throw new ServiceError('timeout', message)
  }

  /** Waits for the display once per batch, so that it never lags far behind. */
  async #strokes(strokes: readonly CharacterStroke[], layout: KeyLayout): Promise<void> {
    const shiftKey = keycodeOf('shift', layout)
    for (let from = 0; from < strokes.length; from += inputLimits.strokesAtOnce) {
      for (const { keycode, shift } of strokes.slice(from, from + inputLimits.strokesAtOnce)) {
        if (shift) this.#display.key(shiftKey, true)
        this.#stroke(keycode)
        if (shift) this.#display.key(shiftKey, false)
      }
      await this.#display.settle()
    }
  }

  #stroke(keycode: number): void {
    this.#display.key(keycode, true)
    this.#display.key(keycode, false)
  }
}

function keycodeOf(name: string, layout: KeyLayout): number {
  const place = layout.get(keysymOfName(name))
  if (place) return place.keycode
  const message = `This keyboard has no key for ${JSON.stringify(name)}.`
  throw new ServiceError('bad_request', message, { field: 'keys' })
}
