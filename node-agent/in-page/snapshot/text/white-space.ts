/** White space as the page shows it. */

/** Which white space of the source is shown: `all` of it, only line `breaks`, or none. */
export type KeptWhiteSpace = 'all' | 'breaks' | ''

const keptWhiteSpaces: Readonly<Record<string, KeptWhiteSpace>> = {
  preserve: 'all',
  'break-spaces': 'all',
  'preserve-breaks': 'breaks',
}

/** By the longhand, which is read faster than `white-space`. */
export const keptWhiteSpace = (style: CSSStyleDeclaration): KeptWhiteSpace =>
  keptWhiteSpaces[style.getPropertyValue('white-space-collapse')] ?? ''

/** Text that would read the same with and without its white space kept has none of these. */
export const mayBeKept = /[\n\t]| {2}/

/** Spaces written for a tab, since tabs would be cleaned away. */
const tabSpaces = '    '
/** A longer indentation is cut. */
const indentMax = 40

/** The lines of a text as they are shown; the first one may continue a line. */
export const shownLines = (text: string, kept: KeptWhiteSpace): string[] =>
  text
    .split('\n')
    .map((line) =>
      kept === 'all' ? withSpaces(line) : line.replace(/[^\S\u00A0]+/g, ' ').replace(/^ | $/g, ''),
    )

const withSpaces = (line: string): string =>
  line
    .replaceAll('\t', tabSpaces)
    .replace(/^[ \u00A0]+/, (indent) => ' '.repeat(Math.min(indent.length, indentMax)))

/** True if a gap between two texts parts words: punctuation stays where it is. */
export const partsWords = (before: string, after: string) =>
  /[\p{L}\p{N}]$/u.test(before) && /^[\p{L}\p{N}]/u.test(after)

/** Up to this width, a gap between two inline boxes is not seen as a space. */
const unseenGapPx = 2

/** True if an inline box has an edge on that side that sets it apart from the text beside it. */
export function isSetApart(style: CSSStyleDeclaration, side: 'Left' | 'Right'): boolean {
  const widths = [style[`margin${side}`], style[`border${side}Width`], style[`padding${side}`]]
  return widths.reduce((sum, width) => sum + (parseFloat(width) || 0), 0) > unseenGapPx
}
