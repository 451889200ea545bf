/**
 * Which messages of a client have to be parsed before they may pass, told from their bytes alone:
 * a message of 100 MiB that only clicks is neither parsed nor copied for it.
 *
 * Chromium reads the name of a call from the string after the key "method". Quotes within strings
 * are escaped, so the bytes `"method"` are a whole string wherever they stand. Either the key and
 * the name are written out, or one of their letters is written as `\u00XX`: Chromium's parser knows
 * no other way, and refuses overlong UTF-8, `\x41` and comments.
 */
import { limits } from '../../proto/limits.ts'

const methodKey = Buffer.from('"method"')
/** Of `\u00XX`. */
const escapeTail = Buffer.from('u00')
const [quote, backslash, colon] = [...Buffer.from('"\\:')]
const spaces: ReadonlySet<number | undefined> = new Set(Buffer.from(' \t\n\r'))
/** `"method"` that is a value, as of a property that is called so. */
const afterValue: ReadonlySet<number | undefined> = new Set(Buffer.from(',]}'))
/** The letters and the dot, which names of calls are made of. */
const nameCharacter = /\\u00(?:2e|[46][1-9a-f]|[57][0-9a])/gi

/** True also where it cannot be told: parsing decides then. */
export function mustBeParsed(bytes: Buffer, isSpecial: (method: string) => boolean): boolean {
  return mayCall(bytes, isSpecial) || mayHideName(bytes)
}

function mayCall(bytes: Buffer, isSpecial: (method: string) => boolean): boolean {
  let at = bytes.indexOf(methodKey)
  for (let keys = 0; at !== -1; at = bytes.indexOf(methodKey, at)) {
    if (++keys > limits.cdpScannedPlacesMax) return true
    at = skipSpaces(bytes, at + methodKey.length)
    if (afterValue.has(bytes[at])) continue
    if (bytes[at] !== colon) return true
    at = skipSpaces(bytes, at + 1)
    if (bytes[at] !== quote) return true
    const start = at + 1
    // Longer names are no call that is looked for.
    const name = bytes.toString('latin1', start, start + limits.cdpMethodBytes)
    const end = name.indexOf('"')
    if (end !== -1 && isSpecial(name.slice(0, end))) return true
    at = start
  }
  return false
}

function skipSpaces(bytes: Buffer, from: number): number {
  let at = from
  while (at < from + limits.cdpMethodBytes && spaces.has(bytes[at])) at++
  return at
}

/**
 * Clients that write `<` or `é` as an escape are not slowed down: no name has such a character.
 * Bytes are searched before text is, because most messages have no escape and need no copy.
 */
function mayHideName(bytes: Buffer): boolean {
  const from = firstEscape(bytes)
  if (from === -1) return false
  const text = bytes.toString('latin1', from)
  let escapes = 0
  for (const { index } of text.matchAll(nameCharacter)) {
    if (++escapes > limits.cdpScannedEscapesMax || !isEscaped(bytes, from + index)) return true
  }
  return false
}

/** Not searched by its backslash, of which scripts have many. */
function firstEscape(bytes: Buffer): number {
  let at = bytes.indexOf(escapeTail)
  for (let seen = 1; at !== -1; at = bytes.indexOf(escapeTail, at + 1)) {
    if (bytes[at - 1] === backslash || ++seen > limits.cdpScannedPlacesMax) return at - 1
  }
  return -1
}

/** A backslash after an odd number of others is only a backslash, as in the source of a script. */
function isEscaped(bytes: Buffer, at: number): boolean {
  let before = at
  while (bytes[before - 1] === backslash) before--
  return (at - before) % 2 === 1
}
