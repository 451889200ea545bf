/** The hands on the keyboard of one display. */
import { ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
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

  async type(text: string, delayMs = 0): Promise<void> {
    const layout = keyLayout(await this.#display.keymap())
    const lent = new Set<number>()
    let turn = 0
    try {
      for (const character of text.replaceAll('\r\n', '\n')) {
        const keysym = keysymOfCharacter(character)
        const place = layout.places.get(keysym)
        if (place) this.#stroke(place, layout)
        else {
          const keycode = layout.spare[turn++ % layout.spare.length]
          if (keycode === undefined) throw noSpareKey()
          lent.add(keycode)
          await this.#strokeRemapped(keycode, keysym, layout)
        }
        await this.#display.settle()
        if (delayMs > 0) await sleep(this.#clock, delayMs)
      }
    } finally {
      if (lent.size > 0) await this.#giveBack(lent, layout)
    }
  }

  #stroke({ keycode, shift }: KeyPlace, layout: KeyLayout): void {
    const shiftKey = keycodeOf('shift', layout)
    if (shift) this.#display.key(shiftKey, true)
    this.#display.key(keycode, true)
    this.#display.key(keycode, false)
    if (shift) this.#display.key(shiftKey, false)
  }

  /** Clients read the new keymap in their own time: before the press, and after it. */
  async #strokeRemapped(keycode: number, keysym: number, layout: KeyLayout): Promise<void> {
    this.#display.remap(keycode, new Array<number>(layout.width).fill(keysym))
    await this.#display.settle()
    await sleep(this.#clock, limits.keymapSettleMs)
    this.#stroke({ keycode, shift: false }, layout)
  }

  async #giveBack(keycodes: ReadonlySet<number>, layout: KeyLayout): Promise<void> {
    await sleep(this.#clock, limits.keymapSettleMs)
    for (const keycode of keycodes) {
      this.#display.remap(keycode, new Array<number>(layout.width).fill(0))
    }
    await this.#display.settle()
  }
}

function keycodeOf(name: string, layout: KeyLayout): number {
  const place = layout.places.get(keysymOfName(name))
  if (place) return place.keycode
  throw new ServiceError('bad_request', `This keyboard has no key "${name}".`, { field: 'keys' })
}

function noSpareKey(): ServiceError {
  return new ServiceError('unavailable', "The display's keyboard has no spare key to lend.")
}
