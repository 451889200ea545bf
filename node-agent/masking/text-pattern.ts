import { escapePattern, wellFormed } from '../../runtime/lib/secrets/secret-forms.ts'
import { limits } from '../../proto/limits.ts'

/**
 * Finds a text of a page in an answer: as it is, in HTML, in JSON and in a URL, with any white space. A short
 * one is found as a word only, since it occurs in others by chance.
 */
export function patternOfText(text: string): RegExp {
  const inHtml = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const forms = [text, inHtml, inHtml.replaceAll('"', '&quot;'), JSON.stringify(text).slice(1, -1)]
  const inUrl = encodeURIComponent(wellFormed(text))
  const patterns = [...new Set([...forms, inUrl])].map((form) =>
    escapePattern(form).replace(/\s+/g, '(?:\\s|&nbsp;)+'),
  )
  const any = `(?:${patterns.join('|')})`
  const isStrong = text.length >= limits.secretStrongChars
  return new RegExp(isStrong ? any : `(?<![\\p{L}\\p{N}])${any}(?![\\p{L}\\p{N}])`, 'gu')
}
