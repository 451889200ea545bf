/** Texts of records and of strange pages, as a page may show them: inert, and in reading order. */
import { clean, cleanLines } from '../../../../runtime/text/clean.ts'

export { clean as plain }

/** An empty line is between two. */
export const paragraphs = (text: string): readonly string[] =>
  cleanLines(text)
    .split(/\n{2,}/)
    .filter((one) => one !== '')

/** Undefined for what is no address of a page: other schemes would run, or open things. */
export function linkTo(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, href } = new URL(url)
  return protocol === 'https:' || protocol === 'http:' ? href : undefined
}
