/**
 * How many tokens of o200k a text takes at most: pure. No tokenizer runs here, for one is 2 MB of
 * ranks to load and takes longer than the walk over the page; a text is split about as the tokenizer
 * splits it, and each piece is taken for a little more than such pieces cost.
 */
const pieces = new RegExp(
  [
    // Codes: letters and digits in one.
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
/** Scripts whose every letter is a token of its own at worst. */
const known =
  /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Thai}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]+$/u
/** No language has words like these: a code, a key, a part of an address. */
const unlikely =
  /[bcdfghjklmnpqrstvwxz]{5}|[aeiou]{4}|[a-z][A-Z]|[A-Z]{4}|q[^u]|[jvwxzq][bcdfgkpqtxz]/
/** After which a space is a token of its own. */
const apart = /[^A-Za-z!-/:-~]/
const codeTokensPerChar = 0.9

/** The words a snapshot is made of; each is one token. */
const ours = new Set(
  (
    'button link checkbox radio textbox clickable option tab table rows row group frame form region dialog ' +
    'img file date checked disabled expanded required selected focused more above below use find or scroll'
  ).split(' '),
)

/** `english`: of a text that is; the tokenizer knows the words of no other language as well. */
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
  // One space belongs to the word after it.
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
const wordsToTell = 40

/** By the words that no English text does without. */
export function isEnglish(text: string): boolean {
  const words = text.toLowerCase().match(/[\p{L}]+/gu) ?? []
  if (words.length < wordsToTell) return false
  return words.filter((word) => functionWords.has(word)).length > 0.08 * words.length
}
