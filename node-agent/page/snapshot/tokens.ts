/**
 * How many tokens of o200k a text takes at most: pure. No tokenizer runs here, for one is 2 MB of
 * ranks to load and takes longer than the walk over the page; a text is split as the tokenizer
 * would split it, and each piece is taken for a little more than such pieces cost.
 */
const pieces = /\p{L}+|\p{N}{1,3}|[ \t]+|[\r\n]+|[^\s\p{L}\p{N}]+/gu
const plainWord = /^[A-Za-z]+$/
/** Scripts whose every letter is a token of its own at worst. */
const knownLetters =
  /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Thai}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]+$/u
/** No language has words like these: a code, a key, a part of an address. */
const unlikely =
  /[bcdfghjklmnpqrstvwxz]{5}|[aeiou]{4}|[a-z][A-Z]|[A-Z]{4}|q[^u]|[jvwxzq][bcdfgkpqtxz]/

export function tokensAtMost(text: string): number {
  let tokens = 0
  for (const [piece] of text.matchAll(pieces)) tokens += costOf(piece)
  return Math.ceil(tokens)
}

function costOf(piece: string): number {
  const { length } = piece
  if (plainWord.test(piece)) {
    if (unlikely.test(piece)) return Math.max(1, length * 0.8)
    return length <= 4 ? 1.1 : 1 + (length - 4) * 0.22
  }
  if (/^\p{N}/u.test(piece)) return bytesOver(piece, 1)
  // One space belongs to the word after it.
  if (/^[ \t]/.test(piece)) return length === 1 ? 0 : 1
  if (/^[\r\n]/.test(piece)) return 1
  if (knownLetters.test(piece)) return length
  if (/^[\x20-\x7e]+$/.test(piece)) return length
  return Buffer.byteLength(piece)
}

/** One token for ASCII, a byte each for what is not. */
function bytesOver(piece: string, ascii: number): number {
  const bytes = Buffer.byteLength(piece)
  return bytes === piece.length ? ascii : bytes
}
