/**
 * An upper estimate of a text's tokens in o200k. Pure. A real tokenizer would load 2 MB of ranks
 * and take longer than the walk over the page; instead the text is split about as the tokenizer
 * splits it, and each piece counts a little more than such pieces usually cost.
 */
const pieces = new RegExp(
  [
    // Codes: letters and digits mixed.
    String.raw`[A-Za-z0-9+/_-]*(?:\d[A-Za-z]|[A-Za-z]\d)[A-Za-z0-9+/_-]*`,
    String.raw`\p{L}+`,
    String.raw`\p{N}{1,3}`,
    String.raw`[ \t]+`,
    String.raw`[\r\n]+`,
    String.raw`[^\s\p{L}\p{N}]+`,
  ].join('|'),
  'gu',
)
const ref = /^e\d+$/
const plainWord = /^[A-Za-z]+$/
const ascii = /^[\x20-\x7e]+$/
/** Scripts in which a letter is at most one token. */
const known =
  /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Thai}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]+$/u
/** Not words of any language: codes, keys, parts of URLs. */
const unlikely =
  /[bcdfghjklmnpqrstvwxz]{5}|[aeiou]{4}|[a-z][A-Z]|[A-Z]{4}|q[^u]|[jvwxzq][bcdfgkpqtxz]/
/** After these characters, a space is a separate token. */
const apart = /[^A-Za-z!-/:-~]/
const codeTokensPerChar = 0.9

/** The words that snapshots consist of; each is one token. */
const ours = new Set(
  (
    'button link checkbox radio textbox clickable option tab table rows row group frame form region dialog ' +
    'img file date checked disabled expanded required selected focused more above below use find or scroll'
  ).split(' '),
)

/** `english`: true for English text; the tokenizer knows no other language as well. */
export function tokensAtMost(text: string, english = isEnglish(text)): number {
  let tokens = 0
  for (const { 0: piece, index } of text.matchAll(pieces)) {
    const next = text[index + piece.length] ?? ''
    tokens += costOf(piece, next, english)
  }
  return Math.ceil(tokens)
}

function costOf(piece: string, next: string, english: boolean): number {
  const { length } = piece
  if (plainWord.test(piece)) return costOfWord(piece, english)
  if (ref.test(piece)) return 1 + Math.ceil((length - 1) / 3)
  if (/^\p{N}+$/u.test(piece)) return ascii.test(piece) ? 1 : Buffer.byteLength(piece)
  // One space belongs to the following word.
  if (/^[ \t]/.test(piece)) return length > 1 || (apart.test(next) && !known.test(next)) ? 1 : 0
  if (/^[\r\n]/.test(piece)) return 1
  if (known.test(piece)) return length
  if (ascii.test(piece)) return /[A-Za-z]/.test(piece) ? 1 + length * codeTokensPerChar : length
  return Buffer.byteLength(piece)
}

function costOfWord(word: string, english: boolean): number {
  const { length } = word
  if (ours.has(word)) return 1
  if (unlikely.test(word)) return Math.max(1, length * codeTokensPerChar)
  if (english) return length <= 4 ? 1.1 : 1 + (length - 4) * 0.22
  return (length <= 3 ? 1.1 : 1 + (length - 3) * 0.33) + Math.max(0, length - 8) * 0.15
}

const functionWords = new Set(
  (
    'the of and to in a is for on with by or at be this that from your you it as are no not all an we our ' +
    'can will has have more was were which new see about'
  ).split(' '),
)
const wordsToDetect = 40

/** Detected by words that every English text contains. */
export function isEnglish(text: string): boolean {
  const words = text.toLowerCase().match(/[\p{L}]+/gu) ?? []
  if (words.length < wordsToDetect) return false
  return words.filter((word) => functionWords.has(word)).length > 0.08 * words.length
}
