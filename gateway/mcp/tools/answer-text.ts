/**
 * The text of a tool's answer. All that a page may have chosen (its text, title and URL, names of files,
 * texts of dialogs) stands between marks; what stands outside is the service's own. It promises nothing
 * about what a model does with it.
 */
import { randomBytes } from 'node:crypto'
import { outputText, pagePartsOf } from '../../../proto/commands/output-text.ts'
import { betweenPageMarks } from '../../../proto/commands/page-marks.ts'
import type { JsonObject } from '../service.ts'
import { mcpLimits } from '../limits.ts'

/** Without marks for clients that have turned them off. */
export function answerText(output: JsonObject, hasPageMarks: boolean): string {
  if (!hasPageMarks) return outputText(output)
  const { before, page, after } = pagePartsOf(output)
  const marked = page === '' ? [] : [betweenPageMarks(page, nonceFor(page))]
  return [...before, ...marked, ...after].join('\n')
}

/**
 * Short, because it costs tokens in each answer, and in no line of the page, so that nothing of it is lost:
 * a page that wrote thousands of guesses is still not closed by one of them.
 */
function nonceFor(page: string): string {
  for (let bytes = mcpLimits.markBytes; ; bytes++) {
    const nonce = randomBytes(bytes).toString('hex')
    if (!page.includes(nonce)) return nonce
  }
}
