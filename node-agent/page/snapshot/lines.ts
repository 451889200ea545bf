/** Lines of a snapshot: what the walk in the page has found, written for a model. Pure. */
import { limits } from '../../../proto/limits.ts'
import { clean, cleanName, cut } from '../../../runtime/text/clean.ts'

/** Something that can be pointed at, or stands for more than its text. */
export interface Thing {
  /** Role; the marks of a heading. */
  readonly o: string
  /** Number of its ref. */
  readonly r?: number
  /** Name. */
  readonly n?: string
  /** Value. */
  readonly v?: string
  /** States. */
  readonly s?: string
  /** What tells it from others when it has no name. */
  readonly h?: string
  /** Address. */
  readonly u?: string
}

export type Part = string | Thing

/** As the walk sends it: depth, flags, parts. */
export type WalkedLine = readonly [number, number, readonly Part[]]

export const flags = { inView: 1, heading: 2, dialog: 4, group: 8, row: 16, above: 32 } as const

export interface Line {
  readonly depth: number
  readonly flags: number
  /** Something on it can be acted on. */
  readonly acts: boolean
  readonly parts: readonly Part[]
  /** Without its indentation, texts cut. */
  readonly text: string
}

/** With its texts cut to what a snapshot shows. */
export function lineOf([depth, flags, parts]: WalkedLine): Line {
  const text = joined(parts.map(partText))
  const acts = parts.some((part) => typeof part !== 'string' && part.r !== undefined)
  return { depth, flags, acts, parts, text: endOf(text, flags, parts) }
}

/** Punctuation stays with what it follows. */
const joined = (texts: readonly string[]) =>
  texts.reduce((all, text) => {
    if (all === '' || text === '') return all + text
    return /^[,.;:!?)]/.test(text) ? all + text : `${all} ${text}`
  }, '')

/** A group's line announces what is below it. */
const endOf = (text: string, lineFlags: number, parts: readonly Part[]) =>
  lineFlags & flags.group && (parts[0] as Thing).v === undefined ? `${text}:` : text

export const indented = ({ depth, text }: Line): string => ' '.repeat(depth) + text

/** A page's words must not pass for a ref: whoever has one must find its own line and no other. */
const refLike = /(?<![\w'])e\d+(?!\w)/g

const words = (text: string): string => clean(text).replace(refLike, "'$&'")

/** A name as somebody who was shown it gives it, as it is on the page. */
export const nameShown = (name: string): string => cleanName(name).replace(/'(e\d+)'/g, '$1')

/** All that it says, to be searched. */
export const wholeText = (parts: readonly Part[]): string =>
  parts.map((part) => (typeof part === 'string' ? words(part) : thingText(part, false))).join(' ')

/** Nor may they pass for something else of ours. */
const looksOurs = /^(#|[+~-] )/

export function partText(part: Part): string {
  if (typeof part === 'string') {
    const text = cut(words(part), limits.snapshotTextChars)
    return looksOurs.test(text) ? `"${text}"` : text
  }
  return thingText(part)
}

export function thingText({ o, r, n, v, s, h, u }: Thing, short = true): string {
  const most = (chars: number) => (short ? chars : Infinity)
  const name = cut(words(n ?? '').replaceAll('"', "'"), most(limits.snapshotNameChars))
  const said = [
    r === undefined ? '' : `e${r}`,
    o,
    name === '' ? words(h ?? '') : `"${name}"`,
    words(s ?? ''),
    u === undefined ? '' : `<${cut(words(u), most(limits.snapshotTextChars))}>`,
  ]
  const value = v === undefined ? '' : cut(words(v), most(limits.snapshotValueChars))
  return said.filter(Boolean).join(' ') + (value === '' ? '' : `: ${value}`)
}

/** What can be pointed at in lines, each once. */
export function thingsIn(lines: readonly WalkedLine[]): (Thing & { readonly r: number })[] {
  const things: (Thing & { r: number })[] = []
  for (const [, , parts] of lines) {
    for (const part of parts) {
      if (typeof part !== 'string' && part.r !== undefined)
        things.push(part as Thing & { r: number })
    }
  }
  return things
}
