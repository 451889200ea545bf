/**
 * Decides from a client message's bytes whether it must be parsed before it may pass, so that a
 * harmless message of 100 MiB is neither parsed nor copied.
 *
 * Chromium reads the name of a call from the string after the key "method". Quotes within strings
 * are escaped, so the bytes `"method"` are a whole string wherever they occur. Either the key and
 * the name are spelt out, or one of their letters is written as `\u00XX`: Chromium's parser knows
 * no other escape for them, and refuses overlong UTF-8, `\x41` and comments.
 */
import { cdpRuleLimits } from './limits.ts'

const methodKey = Buffer.from('"method"')
/** The part of `\u00XX` after the backslash. */
const escapeTail = Buffer.from('u00')
const [quote, backslash, colon] = [...Buffer.from('"\\:')]
const spaces: ReadonlySet<number | undefined> = new Set(Buffer.from(' \t\n\r'))
/** Characters after a `"method"` that is a value, not a key. */
const afterValue: ReadonlySet<number | undefined> = new Set(Buffer.from(',]}'))
/** An escaped letter or dot: the names of calls contain no other characters. */
const nameCharacter = /\\u00(?:2e|[46][1-9a-f]|[57][0-9a])/gi

/** Also true in doubtful cases, which parsing then decides. */
export function mustBeParsed(bytes: Buffer, isSpecial: (method: string) => boolean): boolean {
  return mayCall(bytes, isSpecial) || mayHideName(bytes)
}

function mayCall(bytes: Buffer, isSpecial: (method: string) => boolean): boolean {
  let at = bytes.indexOf(methodKey)
  for (let keys = 0; at !== -1; at = bytes.indexOf(methodKey, at)) {
    if (++keys > cdpRuleLimits.cdpScannedPlacesMax) return true
    at = skipSpaces(bytes, at + methodKey.length)
    if (afterValue.has(bytes[at])) continue
    if (bytes[at] !== colon) return true
    at = skipSpaces(bytes, at + 1)
    if (bytes[at] !== quote) return true
    const start = at + 1
    // A longer name is none of the special ones.
    const name = bytes.toString('latin1', start, start + cdpRuleLimits.cdpMethodBytes)
    const end = name.indexOf('"')
    if (end !== -1 && isSpecial(name.slice(0, end))) return true
    at = start
  }
  return false
}

function skipSpaces(bytes: Buffer, from: number): number {
  let at = from
  while (at < from + cdpRuleLimits.cdpMethodBytes && spaces.has(bytes[at])) at++
  return at
}

/**
 * True if an escape may hide a letter of a name. Other escapes, such as those of `<` or `é`, do not
 * cause parsing, because no name has such characters. The bytes are searched before text is made,
 * because most messages have no escape and need no copy.
 */
function mayHideName(bytes: Buffer): boolean {
  const from = firstEscape(bytes)
  if (from === -1) return false
  const text = bytes.toString('latin1', from)
  let escapes = 0
  for (const { index } of text.matchAll(nameCharacter)) {
    if (++escapes > cdpRuleLimits.cdpScannedEscapesMax || !isEscaped(bytes, from + index))
      return true
  }
  return false
}

/** Searches for `u00` instead of the backslash, because scripts contain many backslashes. */
function firstEscape(bytes: Buffer): number {
  let at = bytes.indexOf(escapeTail)
  for (let seen = 1; at !== -1; at = bytes.indexOf(escapeTail, at + 1)) {
    if (bytes[at - 1] === backslash || ++seen > cdpRuleLimits.cdpScannedPlacesMax) return at - 1
  }
  return -1
}

/** A backslash that follows an odd number of others is itself escaped, as in a script's source. */
function isEscaped(bytes: Buffer, at: number): boolean {
  let before = at
  while (bytes[before - 1] === backslash) before--
  return (at - before) % 2 === 1
}
