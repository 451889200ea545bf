/** Formats the lines of a snapshot, as the walk has collected them, for a model. Pure. */
import { limits } from '../../../proto/limits.ts'
import { cleanText, cleanName, truncateText } from '../../../runtime/lib/text/clean.ts'
import {
  snapshotFlags,
  type LineElement,
  type LinePart,
  type WalkedLine,
} from '../../in-page/snapshot/lines.ts'
import { pageLimits } from '../limits.ts'

export interface SnapshotLine {
  readonly depth: number
  readonly flags: number
  /** Some part of the line can be acted on. */
  readonly acts: boolean
  readonly parts: readonly LinePart[]
  /** Without indentation; long texts are cut. */
  readonly text: string
}

/** Formats a line, with texts cut for a snapshot. */
export function lineOf([depth, flags, parts]: WalkedLine): SnapshotLine {
  const [first = '', ...rest] = parts.map((part) => partText(part) + coverText(part))
  const text = joinTexts([first, ...rest.map((one) => one.trimStart())])
  const acts = parts.some((part) => typeof part !== 'string' && part.r !== undefined)
  return { depth, flags, acts, parts, text: endOf(text, flags, parts) }
}

/** Not part of an element's own text: what opens over a page changes nothing in it. */
const coverText = (part: LinePart): string => {
  if (typeof part === 'string' || part.c === undefined) return ''
  return ` covered by ${typeof part.c === 'number' ? `e${part.c}` : words(part.c)}`
}

/** No space before punctuation. */
const joinTexts = (texts: readonly string[]) =>
  texts.reduce((all, text) => {
    if (all.trim() === '' || text === '') return all + text
    return /^[,.;:!?)]/.test(text) ? all + text : `${all} ${text}`
  }, '')

/** A group's line ends with a colon. */
const endOf = (text: string, lineFlags: number, parts: readonly LinePart[]) =>
  lineFlags & snapshotFlags.group && (parts[0] as LineElement).v === undefined ? `${text}:` : text

export const indentedText = ({ depth, text }: SnapshotLine): string => ' '.repeat(depth) + text

/** Text of a page that looks like a ref is quoted, so that a ref always identifies one line. */
const refLike = /(?<![\w'])e\d+(?!\w)/g

const words = (text: string): string => cleanText(text).replace(refLike, "'$&'")

/** A name as a caller repeats it from a snapshot, converted back to the page's. */
export const nameShown = (name: string): string => cleanName(name).replace(/'(e\d+)'/g, '$1')

/** The full text of all parts, for searching. */
export const wholeText = (parts: readonly LinePart[]): string =>
  parts
    .map((part) => (typeof part === 'string' ? words(part) : lineElementText(part, false)))
    .join(' ')

/** Text of a page that looks like our heading or change marks is quoted too. */
const looksOurs = /^(#|[+~-] )/

export function partText(part: LinePart): string {
  if (typeof part === 'string') {
    const [indent] = /^ */.exec(part)!
    const text = truncateText(words(part), limits.snapshotTextChars)
    return indent + (looksOurs.test(text) ? `"${text}"` : text)
  }
  return lineElementText(part)
}

export function lineElementText({ o, r, n, v, s, h, u }: LineElement, short = true): string {
  const most = (chars: number) => (short ? chars : Infinity)
  const name = truncateText(words(n ?? '').replaceAll('"', "'"), most(pageLimits.snapshotNameChars))
  const said = [
    r === undefined ? '' : `e${r}`,
    o,
    name === '' ? words(h ?? '') : `"${name}"`,
    words(s ?? ''),
    u === undefined ? '' : `<${truncateText(words(u), most(limits.snapshotTextChars))}>`,
  ]
  const value = v === undefined ? '' : truncateText(words(v), most(pageLimits.snapshotValueChars))
  return said.filter(Boolean).join(' ') + (value === '' ? '' : `: ${value}`)
}

/** The elements in the lines that can be referred to. */
export function lineElementsIn(
  lines: readonly WalkedLine[],
): (LineElement & { readonly r: number })[] {
  const things: (LineElement & { r: number })[] = []
  for (const [, , parts] of lines) {
    for (const part of parts) {
      if (typeof part !== 'string' && part.r !== undefined)
        things.push(part as LineElement & { r: number })
    }
  }
  return things
}
