/** The hands on the keyboard of one display. */
import { ServiceError } from '../../proto/errors.ts'
import { sleep, type Clock } from '../../runtime/clock.ts'
import type { DisplayConnection } from './display-connection.ts'
import { keyLayout, type KeyLayout, type KeyPlace } from './key-layout.ts'
import { keysymOfCharacter, keysymOfName } from './key-names.ts'

export class Keyboard {
  readonly #display: DisplayConnection
  readonly #clock: Clock

  constructor(display: DisplayConnection, clock: Clock) {
    this.#display = display
    this.#clock = clock
  }

  /** All keys down in order, up in reverse, whatever happens in between. */
  async shortcut(keys: readonly string[], holdTimeMs = 0): Promise<void> {
    const layout = keyLayout(await this.#display.keymap())
    const keycodes = keys.map((name) => keycodeOf(name, layout))
    const down: number[] = []
    try {
      for (const keycode of keycodes) {
        this.#display.key(keycode, true)
        down.unshift(keycode)
      }
      await this.#display.settle()
      if (holdTimeMs > 0) await sleep(this.#clock, holdTimeMs)
    } finally {
      for (const keycode of down) this.#display.key(keycode, false)
    }
    await this.#display.settle()
  }

  /** Refuses, before the first stroke, a text with a character that this keyboard has no key for. */
  async type(text: string, delayMs = 0): Promise<void> {
    const layout = keyLayout(await this.#display.keymap())
    const places = Array.from(text.replaceAll('\r\n', '\n'), (character) => {
      const place = layout.get(keysymOfCharacter(character))
      if (!place) throw noKey(character, 'text')
      return place
    })
    for (const place of places) {
      this.#stroke(place, layout)
      await this.#display.settle()
      if (delayMs > 0) await sleep(this.#clock, delayMs)
    }
  }

  #stroke({ keycode, shift }: KeyPlace, layout: KeyLayout): void {
    const shiftKey = keycodeOf('shift', layout)
    if (shift) this.#display.key(shiftKey, true)
    this.#display.key(keycode, true)
    this.#display.key(keycode, false)
    if (shift) this.#display.key(shiftKey, false)
  }
}

function keycodeOf(name: string, layout: KeyLayout): number {
  const place = layout.get(keysymOfName(name))
  if (!place) throw noKey(name, 'keys')
  return place.keycode
}

function noKey(what: string, field: string): ServiceError {
  const message = `This keyboard has no key for ${JSON.stringify(what)}.`
  return new ServiceError('bad_request', message, { field })
}
