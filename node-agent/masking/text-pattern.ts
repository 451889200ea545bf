import { asWord, spellingsOf, wellFormed } from '../../runtime/lib/secrets/secret-forms.ts'
import { limits } from '../../proto/limits.ts'

/**
 * Finds a text of a page in an answer, in all its spellings, with any white space. A short one is found
 * as a word only, since it occurs in others by chance.
 */
export function patternOfText(text: string): RegExp {
  const spellings = [...new Set(spellingsOf(wellFormed(text)))]
  const any = `(?:${spellings.join('|').replaceAll('\\s+', '(?:\\s|&nbsp;)+')})`
  return new RegExp(text.length >= limits.secretStrongChars ? any : asWord(any), 'gu')
}
