/** Page text in a prompt: cleaned, between marks. Pure. */
import { betweenPageMarks } from '../../../proto/commands/page-marks.ts'
import { cleanLines } from '../../../runtime/lib/text/clean.ts'

export const markPageText = (text: string, nonce: string): string =>
  betweenPageMarks(cleanLines(text), nonce)
