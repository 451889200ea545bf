/** Finds the key, and whether Shift is needed, for each keysym. Pure. */
import type { Keymap } from './display-connection.ts'

export interface KeyPlace {
  readonly keycode: number
  readonly shift: boolean
}

export type KeyLayout = ReadonlyMap<number, KeyPlace>

/** For a keysym on several keys the first one is used, preferably one without Shift. */
export function keyLayout({ first, rows }: Keymap): KeyLayout {
  const places = new Map<number, KeyPlace>()
  for (const level of [0, 1]) {
    rows.forEach((row, i) => {
      const keysym = row[level]
      if (!keysym || places.has(keysym)) return
      places.set(keysym, { keycode: first + i, shift: level === 1 })
    })
  }
  return places
}
