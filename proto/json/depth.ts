/**
 * The nesting depth of JSON, so that input that is too deep for recursive code is refused. Pure.
 */

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = [
  ...Buffer.from('"\\{}[]'),
]

/**
 * The depth of nested objects and arrays, counted in the bytes before anything recursive parses
 * them.
 */
export function jsonDepth(bytes: Uint8Array): number {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]
    if (inString) {
      if (byte === backslash) i++
      else if (byte === quote) inString = false
    } else if (byte === quote) inString = true
    else if (byte === openBrace || byte === openBracket) deepest = Math.max(deepest, ++depth)
    else if (byte === closeBrace || byte === closeBracket) depth--
  }
  return deepest
}
