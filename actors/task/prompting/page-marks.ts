/**
 * Marks around all text that a page may have written. Their name is random for each request, so
 * that no page can write an end mark. Text that resembles a mark is broken up anyway, for models
 * that do not compare exactly. Pure.
 */
import { cleanLines } from '../../../runtime/lib/text/clean.ts'

export const markPageText = (text: string, nonce: string): string =>
  `<<<page-${nonce}\n${stripMarks(text, nonce)}\npage-${nonce}>>>`

const stripMarks = (text: string, nonce: string) =>
  cleanLines(text)
    .replaceAll(nonce, '…')
    .replace(/(?<!<)<{3,}(?=\s?page-)/gi, '‹')
    .replace(/(?<=page-[\w-]{0,64}\s?)>{3,}/gi, '›')
