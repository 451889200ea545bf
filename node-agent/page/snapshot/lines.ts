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

/** All that it says, to be searched. */
export const wholeText = (parts: readonly Part[]): string =>
  parts.map((part) => (typeof part === 'string' ? clean(part) : thingText(part, false))).join(' ')

/** A text of the page must not pass for something of ours. */
const looksOurs = /^(e\d+ [a-z]|#|[+~-] )/

export function partText(part: Part): string {
  if (typeof part === 'string') {
    const text = cut(clean(part), limits.snapshotTextChars)
    return looksOurs.test(text) ? `"${text}"` : text
  }
  return thingText(part)
}

export function thingText({ o, r, n, v, s, h, u }: Thing, short = true): string {
  const name = cut(cleanName(n ?? ''), short ? limits.snapshotNameChars : Infinity)
  const said = [
    r === undefined ? '' : `e${r}`,
    o,
    name === '' ? clean(h ?? '') : `"${name}"`,
    s ?? '',
    u === undefined ? '' : `<${short ? cut(clean(u), limits.snapshotTextChars) : clean(u)}>`,
  ]
  const value = v === undefined ? '' : cut(clean(v), short ? limits.snapshotValueChars : Infinity)
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
