/** The forms in which a page, a URL or a record may show a secret value, as patterns. */
import { limits } from '../../../proto/limits.ts'
import { libLimits } from '../limits.ts'

/** Unpaired surrogates, which encoders reject. */
const loneSurrogate = /\p{Surrogate}/gu
export const wellFormed = (text: string) => text.replace(loneSurrogate, '\uFFFD')

export interface SecretForms {
  /** Matched case-insensitively. */
  readonly anyCase: readonly string[]
  readonly exact: readonly string[]
}

/**
 * A short value occurs everywhere by chance, so it is matched only as a whole word and unchanged.
 * Other transformations (reversed, letter by letter) are not recognised.
 */
export function secretFormsOf(value: string): SecretForms {
  const well = wellFormed(value)
  if (well.length < limits.secretStrongChars) {
    return {
      anyCase: [],
      exact: unique(spellingsOf(well)).map(asWord),
    }
  }
  const digits = well.replace(/[\s.-]/g, '')
  return {
    anyCase: unique([
      ...spellingsOf(well),
      Buffer.from(well).toString('hex'),
      // A page or a key may insert a line break in the middle.
      [...well]
        .filter((one) => one.trim() !== '')
        .map(escapePattern)
        .join('\\s*'),
      ...(/^\d+$/.test(digits) ? [[...digits].join('[\\s./-]?')] : []),
      ...unique([well, JSON.stringify(well).slice(1, -1), encodeURIComponent(well)]).flatMap(
        truncatedForms,
      ),
    ]),
    exact: unique([Buffer.from(well), Buffer.from(encodeURIComponent(well))].flatMap(base64Forms)),
  }
}

/** A pattern with the flag u that matches whole words only. */
export const asWord = (pattern: string): string => `(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`

/** As text, in JSON, in HTML, in URLs; composed and decomposed; with white space normalised. */
export function spellingsOf(value: string): string[] {
  const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
  const inHtml = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const inUrl = encodeURIComponent(value)
  const texts = [
    value,
    value.normalize('NFC'),
    value.normalize('NFD'),
    value.normalize('NFKC'),
    // As names are written in snapshot lines.
    value.replaceAll('"', "'"),
    inJson(value),
    inJson(inJson(value)),
    inHtml,
    inHtml.replaceAll('"', '&quot;'),
    encodeURI(value),
    inUrl,
    inUrl.replaceAll('%20', '+'),
    new URLSearchParams({ '': value }).toString().slice(1),
    encodeURIComponent(inUrl),
  ]
  return texts.map((text) => escapePattern(text.trim() || text).replace(/\s+/g, '\\s+'))
}

/** Base64 of a longer text contains the value at one of three offsets within a group of bytes. */
function base64Forms(bytes: Buffer): string[] {
  const cores = [0, 1, 2].map((at) => {
    const text = Buffer.concat([Buffer.alloc(at), bytes]).toString('base64')
    return text.slice(Math.ceil((at * 8) / 6), Math.floor(((at + bytes.length) * 8) / 6))
  })
  const texts = [bytes.toString('base64'), ...cores].filter(
    (text) => text.length >= limits.secretStrongChars,
  )
  const inUrls = texts.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))
  return [...texts, ...inUrls, ...texts.map(encodeURIComponent)].map(escapePattern)
}

/**
 * Page texts are truncated at either end, with a mark: half of a value next to a mark counts as the
 * value. Less than half would be too easy to guess: the searched text decides where a page is cut,
 * and a model could search for guesses and see what is masked.
 */
function truncatedForms(form: string): string[] {
  const { secretPieceChars, secretPieceDigits, secretHeadChars: most } = libLimits
  const characters = [...form]
  const fewest = /^\d+$/.test(form) ? secretPieceDigits : secretPieceChars
  const least = Math.min(most, Math.max(fewest, Math.ceil(characters.length / 2)))
  if (least >= characters.length) return []
  const head = characters.slice(0, most)
  const tail = characters.slice(-most).reverse()
  const pieces = [
    `${prefixPattern(head, least, (inner, one) => one + inner)} ?…`,
    `… ?${prefixPattern(tail, least, (inner, one) => inner + one)}`,
  ]
  if (characters.length <= most) return pieces
  const between = Math.min(characters.length - most, limits.snapshotTextChars)
  return [
    ...pieces,
    `${spacedPattern(head.join('').trim())}[^\\n]{0,${between}}?…`,
    `…[^\\n]{0,${between}}?${spacedPattern(tail.reverse().join('').trim())}`,
  ]
}

/** Matches the first `least` characters, and as many of the following ones as match in order. */
function prefixPattern(
  characters: readonly string[],
  least: number,
  beside: (inner: string, one: string) => string,
): string {
  return characters.reduceRight(
    (inner, one, at) =>
      beside(at < least - 1 || inner === '' ? inner : `(?:${inner})?`, spacedPattern(one)),
    '',
  )
}

const spacedPattern = (text: string) => escapePattern(text).replace(/\s+/g, '\\s+')

/** Escapes for a pattern with the flag u, which allows no needless escapes. */
export const escapePattern = (text: string) =>
  wellFormed(text).replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

/** Longest first, so that a short form does not leave the rest of a longer one visible. */
const unique = (forms: readonly string[]) => [...new Set(forms)].sort((a, b) => b.length - a.length)
