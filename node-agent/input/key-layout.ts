/** Which key, with or without Shift, makes which keysym: pure. */
import type { Keymap } from './display-connection.ts'

export interface KeyPlace {
  readonly keycode: number
  readonly shift: boolean
}

export type KeyLayout = ReadonlyMap<number, KeyPlace>

/** A keysym that several keys make is found on the first, without Shift where that can be. */
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
