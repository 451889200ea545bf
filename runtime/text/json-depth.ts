/** JSON whose nesting would be too much for whatever reads it recursively. Pure. */

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = [
  ...Buffer.from('"\\{}[]'),
]

/**
 * How deeply objects and arrays are nested, told from the bytes,
 * before anything recursive sees them.
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
