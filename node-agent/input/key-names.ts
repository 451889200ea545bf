/** Converts names and characters to keysyms, X's numbers for the meanings of keys. */
import { ServiceError } from '../../proto/errors.ts'

const named: Readonly<Record<string, number>> = {
  space: 0x20,
  backspace: 0xff08,
  tab: 0xff09,
  enter: 0xff0d,
  return: 0xff0d,
  escape: 0xff1b,
  esc: 0xff1b,
  home: 0xff50,
  left: 0xff51,
  up: 0xff52,
  right: 0xff53,
  down: 0xff54,
  pageup: 0xff55,
  pagedown: 0xff56,
  end: 0xff57,
  insert: 0xff63,
  ins: 0xff63,
  numlock: 0xff7f,
  shift: 0xffe1,
  control: 0xffe3,
  ctrl: 0xffe3,
  capslock: 0xffe5,
  alt: 0xffe9,
  command: 0xffeb,
  cmd: 0xffeb,
  windows: 0xffeb,
  win: 0xffeb,
  delete: 0xffff,
}
const firstFunctionKey = 0xffbe

/** The keysym of a key name of the contract; upper and lower case are the same. */
export function keysymOfName(name: string): number {
  const key = name.toLowerCase()
  const known = Object.hasOwn(named, key) ? named[key] : undefined
  if (known !== undefined) return known
  if (/^[a-z0-9]$/.test(key)) return key.charCodeAt(0)
  const number = Number(/^f([1-9]|1[0-2])$/.exec(key)?.[1] ?? 0)
  if (number > 0) return firstFunctionKey + number - 1
  throw new ServiceError('bad_request', `There is no key named "${name}".`, { field: 'keys' })
}

/**
 * Latin-1 keysyms equal the code points, newline and tab are keys, and others are Unicode code
 * points with X's offset.
 */
export function keysymOfCharacter(character: string): number {
  if (character === '\n' || character === '\r') return 0xff0d
  if (character === '\t') return 0xff09
  const code = character.codePointAt(0)!
  if ((code >= 0x20 && code <= 0x7e) || (code >= 0xa0 && code <= 0xff)) return code
  return 0x01000000 + code
}
