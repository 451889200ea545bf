/** Keys and characters in CDP's terms. Pure. Key names are those of `key-names.ts`. */
import { defined } from '../../../proto/defined.ts'
import { keysymOfName } from '../../input/key-names.ts'

export interface PageKey {
  readonly key: string
  readonly code: string
  readonly keyCode: number
  /** The text that the key types, if any. */
  readonly text?: string
}

export const modifierBit: Readonly<Record<string, number>> = {
  Alt: 1,
  Control: 2,
  Meta: 4,
  Shift: 8,
}

const key = (name: string, keyCode: number, code = name, text?: string): PageKey => ({
  key: name,
  code,
  keyCode,
  ...defined({ text }),
})

const byKeysym = new Map<number, PageKey>([
  [keysymOfName('space'), key(' ', 32, 'Space', ' ')],
  [keysymOfName('backspace'), key('Backspace', 8)],
  [keysymOfName('tab'), key('Tab', 9)],
  [keysymOfName('enter'), key('Enter', 13, 'Enter', '\r')],
  [keysymOfName('escape'), key('Escape', 27)],
  [keysymOfName('home'), key('Home', 36)],
  [keysymOfName('end'), key('End', 35)],
  [keysymOfName('left'), key('ArrowLeft', 37)],
  [keysymOfName('up'), key('ArrowUp', 38)],
  [keysymOfName('right'), key('ArrowRight', 39)],
  [keysymOfName('down'), key('ArrowDown', 40)],
  [keysymOfName('pageup'), key('PageUp', 33)],
  [keysymOfName('pagedown'), key('PageDown', 34)],
  [keysymOfName('insert'), key('Insert', 45)],
  [keysymOfName('delete'), key('Delete', 46)],
  [keysymOfName('numlock'), key('NumLock', 144)],
  [keysymOfName('capslock'), key('CapsLock', 20)],
  [keysymOfName('shift'), key('Shift', 16, 'ShiftLeft')],
  [keysymOfName('control'), key('Control', 17, 'ControlLeft')],
  [keysymOfName('alt'), key('Alt', 18, 'AltLeft')],
  [keysymOfName('command'), key('Meta', 91, 'MetaLeft')],
  ...Array.from({ length: 12 }, (_, i) => {
    const name = `F${i + 1}`
    return [keysymOfName(name), key(name, 112 + i)] as const
  }),
])

/** A key of the contract, without Shift. */
export function pageKeyOfName(name: string): PageKey {
  const keysym = keysymOfName(name)
  // Only letters and digits remain.
  return byKeysym.get(keysym) ?? strokeOf(String.fromCharCode(keysym))!.key
}

/** The rows of a US keyboard without and with Shift, and the codes of the keys. */
const rows = [
  ['`1234567890-=', '~!@#$%^&*()_+'],
  ["[]\\;',./", '{}|:"<>?'],
] as const
const codes: Readonly<Record<string, readonly [code: string, keyCode: number]>> = {
  '`': ['Backquote', 192],
  '-': ['Minus', 189],
  '=': ['Equal', 187],
  '[': ['BracketLeft', 219],
  ']': ['BracketRight', 221],
  '\\': ['Backslash', 220],
  ';': ['Semicolon', 186],
  "'": ['Quote', 222],
  ',': ['Comma', 188],
  '.': ['Period', 190],
  '/': ['Slash', 191],
}

export interface KeyStroke {
  readonly key: PageKey
  readonly shift: boolean
}

/** The key on a US keyboard; undefined for other characters, which are inserted as text. */
export function strokeOf(character: string): KeyStroke | undefined {
  if (character === '\n') return { key: pageKeyOfName('enter'), shift: false }
  if (character === '\t') return { key: pageKeyOfName('tab'), shift: false }
  if (character === ' ') return { key: pageKeyOfName('space'), shift: false }
  if (/^[a-z]$/i.test(character)) {
    const upper = character.toUpperCase()
    const stroke = key(character, upper.charCodeAt(0), `Key${upper}`, character)
    return { key: stroke, shift: character === upper }
  }
  for (const [plain, shifted] of rows) {
    const at = Math.max(plain.indexOf(character), shifted.indexOf(character))
    if (at === -1) continue
    const own = plain[at]!
    const [code, keyCode] = codes[own] ?? [`Digit${own}`, own.charCodeAt(0)]
    return { key: key(character, keyCode, code, character), shift: own !== character }
  }
  return undefined
}

/** The same key with Shift pressed. */
export function withShift(unshifted: PageKey): PageKey {
  if (/^[a-z]$/.test(unshifted.key)) return strokeOf(unshifted.key.toUpperCase())!.key
  for (const [plain, above] of rows) {
    const at = plain.indexOf(unshifted.key)
    if (at !== -1) return strokeOf(above[at]!)!.key
  }
  return unshifted
}
