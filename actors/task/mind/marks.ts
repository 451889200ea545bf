/**
 * Marks around everything that a page may have written. Their name is random for each request, so
 * that no page can write the end of one; what looks like a mark is taken out all the same, for
 * models that do not compare letter by letter. Pure.
 */
import { cleanLines } from '../../../runtime/text/clean.ts'

const lookalike = /<<<\s*page-\S*|\S*page-\S*\s*>>>/gi

export const marked = (text: string, nonce: string): string =>
  `<<<page-${nonce}\n${unmarked(text, nonce)}\npage-${nonce}>>>`

/** Until nothing is left of it: what is taken out may bring another together. */
function unmarked(text: string, nonce: string): string {
  let now = cleanLines(text)
  for (let before = ''; before !== now;) {
    before = now
    now = now.replaceAll(nonce, '').replace(lookalike, '')
  }
  return now
}
