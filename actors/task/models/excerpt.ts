/** What of a provider's words may be repeated: bounded, one line, and without any key. */
import { limits } from '../../../proto/limits.ts'

const hidden = '[hidden]'

/** A run of a key's characters this long is a part of the key, and no word by chance. */
const keyPartChars = 8

/** Somebody else's keys, as providers form them, and as they black them out: `sk-ab***wxyz`. */
const keyLike = new RegExp(
  [
    String.raw`\b(?:sk|pk|rk|xai|gsk)[-_][-_A-Za-z0-9]{6,}`,
    String.raw`\bAIza[-_A-Za-z0-9]{8,}`,
    String.raw`\bya29\.[-_A-Za-z0-9]{8,}`,
    String.raw`\beyJ[-_A-Za-z0-9]{8,}(?:\.[-_A-Za-z0-9]+)*`,
    String.raw`\bBearer\s+\S+`,
    String.raw`[^\s*]*\*{3,}\S*`,
  ].join('|'),
  'g',
)

/** Providers repeat a part of the key they refuse, each in its own way. */
function withoutKey(text: string, key: string): string {
  if (key === '') return text
  if (key.length < keyPartChars) return text.replaceAll(key, hidden)
  let out = ''
  for (let i = 0; i < text.length;) {
    let length = 0
    while (i + length < text.length && key.includes(text.slice(i, i + length + 1))) length++
    const isPart = length >= keyPartChars
    out += isPart ? hidden : text[i]
    i += isPart ? length : 1
  }
  return out
}

export function excerpt(text: string, key: string): string {
  // Bounded first, so that nothing below works on a megabyte; the rest cannot make it longer by much.
  const line = text
    .slice(0, 4 * limits.modelExcerptChars)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
  const clean = withoutKey(line, key).replace(keyLike, hidden)
  return clean.length <= limits.modelExcerptChars
    ? clean
    : `${clean.slice(0, limits.modelExcerptChars - 1)}…`
}
