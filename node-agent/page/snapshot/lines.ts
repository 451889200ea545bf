/** Formats the lines of a snapshot, as the walk has collected them, for a model. Pure. */
import { limits } from '../../../proto/limits.ts'
import { cleanText, cleanName, truncateText } from '../../../runtime/lib/text/clean.ts'
import {
  snapshotFlags,
  type LineElement,
  type LinePart,
  type WalkedLine,
} from '../../in-page/snapshot/lines.ts'
import type { ElementPlace } from '../../in-page/snapshot/appearance.ts'
import type { FrameOrigin } from '../../in-page/snapshot/frames.ts'
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
  const acts = parts.some((part) => typeof part !== 'string' && part.number !== undefined)
  return { depth, flags, acts, parts, text: endOf(text, flags, parts) }
}

/** Not part of an element's own text: what opens over a page changes nothing in it. */
const coverText = (part: LinePart): string => {
  if (typeof part === 'string' || part.cover === undefined) return ''
  return ` covered by ${typeof part.cover === 'number' ? `e${part.cover}` : words(part.cover)}`
}

/** No space before punctuation. */
const joinTexts = (texts: readonly string[]) =>
  texts.reduce((all, text) => {
    if (all.trim() === '' || text === '') return all + text
    return /^[,.;:!?)]/.test(text) ? all + text : `${all} ${text}`
  }, '')

/** A group's line ends with a colon. */
const endOf = (text: string, lineFlags: number, parts: readonly LinePart[]) =>
  lineFlags & snapshotFlags.group && (parts[0] as LineElement).value === undefined
    ? `${text}:`
    : text

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

export function lineElementText(element: LineElement, short = true): string {
  const { role, number, hint = '', looks = '', place, states = '', url } = element
  const most = (text: string, chars: number) => truncateText(text, short ? chars : Infinity)
  const name = most(words(element.name ?? '').replaceAll('"', "'"), pageLimits.snapshotNameChars)
  const said = [
    number === undefined ? '' : `e${number}`,
    role,
    name === '' ? '' : `"${name}"`,
    words(hint),
    words(looks),
    place === undefined ? '' : placeText(place),
    words(states),
    url === undefined ? '' : `<${most(words(url), limits.snapshotTextChars)}>`,
  ]
  const value = most(words(element.value ?? ''), pageLimits.snapshotValueChars)
  return said.filter(Boolean).join(' ') + (value === '' ? '' : `: ${value}`)
}

/** `40×20 at 30,30`, or `at 30,30` if the size is not told. */
const placeText = ([x, y, width, height]: ElementPlace) =>
  `${width > 0 || height > 0 ? `${width}×${height} ` : ''}at ${x},${y}`

/**
 * What is compared of an element, and after its line how it lies in the element around it, since
 * scrolling the page or inserting something above it does not change it.
 */
export function stateText(element: LineElement): string {
  const { place, ...others } = element
  if (place === undefined) return lineElementText(element)
  const [x, y, width, height, aroundX, aroundY] = place
  return `${lineElementText(others)}\n${placeText([x - aroundX, y - aroundY, width, height, 0, 0])}`
}

/** Lines of a frame, whose places are in its own view, as lines of the page around it. */
export const shiftedParts = (
  parts: readonly LinePart[],
  [left, top]: FrameOrigin,
): readonly LinePart[] =>
  parts.map((part) => {
    if (typeof part === 'string' || part.place === undefined) return part
    const [x, y, width, height, aroundX, aroundY] = part.place
    const [right, down] = [Math.round(left), Math.round(top)]
    return { ...part, place: [x + right, y + down, width, height, aroundX + right, aroundY + down] }
  })

/** The line of a frame, of which something else is said. */
export const saidOfFrame = (
  [frame, ...others]: readonly LinePart[],
  said: Pick<LineElement, 'states' | 'name'>,
): readonly LinePart[] =>
  typeof frame === 'object' ? [{ ...frame, ...said }, ...others] : [frame!, ...others]

/** In px of the page, from the top left of what is in view. */
export interface RefPlace {
  readonly ref: string
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** Where the elements are that can be referred to. */
export const placesIn = (lines: readonly WalkedLine[]): readonly RefPlace[] =>
  lineElementsIn(lines).flatMap(({ number, place }) => {
    if (place === undefined) return []
    const [left, top, width, height] = place
    return [{ ref: `e${number}`, left, top, width, height }]
  })

export type ReferredElement = LineElement & { readonly number: number }

/** The elements in the lines that can be referred to. */
export function lineElementsIn(lines: readonly WalkedLine[]): ReferredElement[] {
  const things: ReferredElement[] = []
  for (const [, , parts] of lines) {
    for (const part of parts) {
      if (typeof part !== 'string' && part.number !== undefined)
        things.push(part as ReferredElement)
    }
  }
  return things
}
