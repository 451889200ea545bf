/**
 * Prepares texts of records and foreign pages for display: no control characters, and in reading
 * order.
 */
import { cleanText, cleanLines } from '../../../../runtime/lib/text/clean.ts'

export { cleanText as plain }

/** Paragraphs are separated by an empty line. */
export const paragraphs = (text: string): readonly string[] =>
  cleanLines(text)
    .split(/\n{2,}/)
    .filter((one) => one !== '')

/**
 * Undefined unless it is an http or https URL, because other schemes may run scripts or programs.
 */
export function linkTo(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, href } = new URL(url)
  return protocol === 'https:' || protocol === 'http:' ? href : undefined
}
