/** What a keymap has and what it leaves free: pure. */
import type { Keymap } from './display-connection.ts'

export interface KeyPlace {
  readonly keycode: number
  readonly shift: boolean
}

export interface KeyLayout {
  readonly places: ReadonlyMap<number, KeyPlace>
  /** Keycodes without any keysym, for characters that have no key. */
  readonly spare: readonly number[]
  readonly width: number
}

export function keyLayout({ first, rows }: Keymap): KeyLayout {
  const places = new Map<number, KeyPlace>()
  for (const level of [0, 1]) {
    rows.forEach((row, i) => {
      const keysym = row[level]
      if (!keysym || places.has(keysym)) return
      places.set(keysym, { keycode: first + i, shift: level === 1 })
    })
  }
  const spare = rows.flatMap((row, i) => (row.every((keysym) => keysym === 0) ? [first + i] : []))
  return { places, spare, width: rows[0]?.length ?? 1 }
}
