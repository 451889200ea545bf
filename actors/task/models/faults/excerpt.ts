/** The part of a provider's message that may be repeated: limited, one line, and without keys. */
import { taskRunLimits } from '../../limits.ts'

const hidden = '[hidden]'

/** A run of this many characters of the key counts as a part of it, not as a coincidence. */
const keyPartChars = 8

/** Other keys in the formats of providers, also redacted ones: `sk-ab***wxyz`. */
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

/** Providers repeat a part of the refused key, each in its own way. */
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

export function errorExcerpt(text: string, key: string): string {
  // Cut first, so that the following steps are cheap; they cannot make the text much longer.
  const line = text
    .slice(0, 4 * taskRunLimits.modelExcerptChars)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
  const clean = withoutKey(line, key).replace(keyLike, hidden)
  return clean.length <= taskRunLimits.modelExcerptChars
    ? clean
    : `${clean.slice(0, taskRunLimits.modelExcerptChars - 1)}…`
}
