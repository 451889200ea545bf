/** Collects the lines of one walk over the page. */
import type { AnyElement } from '../any-element.ts'
import { attributeOf, shadowRootOf } from '../dom.ts'
import { hintOf, nameOf, nearestLabel, squeeze } from './accessible-name.ts'
import type { ElementPlace, PointedElement } from './appearance.ts'
import type { OuterTarget } from './hit-target.ts'
import { listenerKinds, listensText } from './listeners/kinds.ts'
import { kindsTold } from './listeners/known-listeners.ts'
import { statesOf, valueOf } from './states.ts'
import {
  generatedText,
  isSetApart,
  keptWhiteSpace,
  type KeptWhiteSpace,
  mayBeKept,
  partsWords,
  type PseudoElement,
  shownLines,
} from './text.ts'
import { numberOf } from './tree.ts'
import {
  clipOf,
  isBefore,
  isClippedAway,
  isOffPage,
  isUnreadable,
  isVeiled,
  meets,
  type View,
} from './visible.ts'

/** An element that can be referred to, or one that needs more than its text. */
export interface LineElement {
  /** The role, or the marks of a heading. */
  role: string
  /** The number of its ref. */
  number?: number
  /** The name. */
  name?: string
  /** The value. */
  value?: string
  /** The states. */
  states?: string
  /** A hint, if it has no name. */
  hint?: string
  /** The URL. */
  url?: string
  /** What it looks like. */
  looks?: string
  /** Where it is. */
  place?: ElementPlace
  /** The number of what covers it, or words for that. */
  cover?: number | string
}

export type LinePart = string | LineElement

export type WalkedLine = [depth: number, flags: number, parts: readonly LinePart[]]

export interface LineLimits {
  readonly urls: boolean
  /** With the places of all elements that have refs. */
  readonly boxes: boolean
  readonly readMs: number
  readonly linesMax: number
  readonly charsMax: number
  /** How long to look for what covers elements. */
  readonly coversMs: number
  /** The searched text; when time is short, only places that may contain it are visited. */
  readonly needle?: string
}

/** What is known of an element from those around it. */
export interface WalkContext {
  readonly view: View
  /** The part of the view that the scrollers around it leave. */
  clip?: View | undefined
  /** Which white space its text shows, once that is known. */
  kept?: KeptWhiteSpace | undefined
  /** Its own text cannot be read, once that is known. */
  blind?: boolean | undefined
  /** Its text is left out; elements to act on are not. */
  mute: boolean
  hidden: boolean
  /** The cursor of the element around it is a pointer. */
  pointer: boolean
  /** In a row of a data table, which is one line. */
  readonly row: boolean
  /** In an element whose name has its text. */
  readonly inside: boolean
  /** That element. */
  readonly outer?: OuterTarget | undefined
  /** The flag of dialogs, in one. */
  readonly dialog: number
  /** The flags of the place. */
  at?: number
  /** In a frame that is out of view. */
  readonly away?: boolean
  /** Where no person can see it. */
  gone?: boolean
  readonly listed?: boolean
  readonly rows?: boolean
  readonly captioned?: boolean
  /** The element that listens for its children. */
  items?: Element | undefined
  /** Beside others in one row on the screen. */
  inRow?: boolean
  host?: AnyElement
  rect?: DOMRect | undefined
  /** What the element listens for, as bits of `listenerKinds`. */
  kinds?: number
  style?: CSSStyleDeclaration
}

/** Text that style sheets generate. */
export type GeneratedText = Pick<Text, 'data'>

/** An element in view with its ref, and what the scrollers around it leave of the view. */
export interface ShownElement {
  readonly node: AnyElement
  readonly part: LineElement
  readonly view: View
}

export const snapshotFlags = {
  inView: 1,
  heading: 2,
  dialog: 4,
  group: 8,
  row: 16,
  above: 32,
} as const

const lineParts = 8
const textMax = 2_000

const textIn = (part: LinePart) => (typeof part === 'string' ? part : Object.values(part).join(' '))

/** Of a search: more than nearly every page takes. */
const hurryAfterMs = 150

/** The longest word of a name, since punctuation may differ. */
const longestWord = (text: string) =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['']).reduce((best, word) =>
    word.length > best.length ? word : best,
  )

/** The flags of a line at a place. */
export const flagsOf = ({ at = 0, dialog }: WalkContext) => at | dialog

export class LineCollector {
  readonly #urls: boolean
  /** The elements of the lines, for telling apart what is written alike. */
  readonly pointed: PointedElement[] = []
  readonly untilMs: number
  /** From this time on, only elements that may contain the searched text are visited. */
  readonly hurryMs: number
  readonly word: string
  readonly linesMax: number
  #charsLeft: number
  readonly lines: WalkedLine[] = []
  parts: LinePart[] = []
  flags = 0
  depth = 0
  /** True if white space occurred after the last text. */
  spaced = false
  late = false
  /** The styles of the inline elements that have ended and begun since the last text. */
  ended: CSSStyleDeclaration | undefined
  begun: CSSStyleDeclaration | undefined
  skipped = 0
  /** Text that is the name of a field beside it. */
  readonly taken = new WeakSet<Node>()
  /** The elements in view that can be acted on. */
  readonly inView: ShownElement[] = []

  constructor({ urls, readMs, linesMax, charsMax, needle = '' }: LineLimits) {
    const now = performance.now()
    this.#urls = urls
    this.untilMs = now + readMs
    this.hurryMs = needle === '' ? Infinity : now + hurryAfterMs
    this.word = longestWord(needle)
    this.linesMax = linesMax
    this.#charsLeft = charsMax
  }

  /** Ends the current line. */
  flush(): void {
    if (this.parts.length > 0 && !this.#isBlank() && this.#isWanted()) {
      this.lines.push([this.depth, this.flags, this.parts])
      for (const part of this.parts) this.#charsLeft -= textIn(part).length
      if (this.#charsLeft < 0) this.late = true
    }
    this.parts = []
    this.flags = 0
  }

  /** True if there is nothing but the indentation of a line that has ended. */
  #isBlank(): boolean {
    const [first] = this.parts
    return this.parts.length === 1 && typeof first === 'string' && first.trim() === ''
  }

  /** True for every line or, in a search, for lines with the word and for headings and groups. */
  #isWanted(): boolean {
    const { heading, group } = snapshotFlags
    if (this.word === '' || this.flags & (heading | group)) return true
    return this.parts.some((part) => textIn(part).toLowerCase().includes(this.word))
  }

  /** Ends the line before a block; within a table row, writes a space instead. */
  part(context: WalkContext): void {
    if (context.row) this.spaced = true
    else this.flush()
  }

  add(part: LinePart, flags: number): void {
    if (this.parts.length >= lineParts && !(flags & snapshotFlags.row)) this.flush()
    this.flags |= flags
    this.parts.push(part)
  }

  text(node: Text | GeneratedText, context: WalkContext): void {
    const { data } = node
    const text = squeeze(data)
    const { style } = context
    const isTaken = 'nodeType' in node && this.taken.has(node)
    const isLeftOut = context.mute || context.hidden || context.inside || isTaken
    if (!isLeftOut && !context.row && style && mayBeKept.test(data)) {
      context.kept ??= keptWhiteSpace(style)
      const { kept } = context
      if (kept !== '' && !this.#isBlind(context)) return this.#shown(data, kept, context)
    }
    if (text === '' || isLeftOut || this.#isBlind(context)) {
      // Left out text still separates the words around it.
      this.spaced ||= /^\s|\s$/.test(data)
      return
    }
    const last = this.parts.length - 1
    const before = this.parts[last]
    if (typeof before === 'string') {
      const gap = this.spaced || /^\s/.test(data) || this.#isApart(before, text) ? ' ' : ''
      const room = textMax - before.length - gap.length
      if (room > 0) this.parts[last] = before + gap + text.slice(0, room)
    } else this.add(text.slice(0, textMax), (context.at ?? 0) | context.dialog)
    this.spaced = /\s$/.test(data)
    this.ended = undefined
    this.begun = undefined
  }

  /** True if an inline element that ends or begins between two texts sets them apart. */
  #isApart(before: string, text: string): boolean {
    const { ended, begun } = this
    if (!(ended ?? begun) || !partsWords(before, text)) return false
    const isEnded = ended !== undefined && isSetApart(ended, 'Right')
    return isEnded || (begun !== undefined && isSetApart(begun, 'Left'))
  }

  generated(node: Element, pseudo: PseudoElement, context: WalkContext): void {
    const data = generatedText(node, pseudo)
    if (data !== '') this.text({ data }, context)
  }

  #isBlind(context: WalkContext): boolean {
    const { host, style } = context
    if (!host || !style) return false
    context.blind ??= isUnreadable(host, style)
    return context.blind
  }

  /** Writes text whose lines the page shows as they are. */
  #shown(data: string, kept: KeptWhiteSpace, context: WalkContext): void {
    const lines = shownLines(data, kept)
    for (const [at, line] of lines.entries()) {
      if (at > 0) {
        this.flush()
        this.spaced = false
      }
      if (this.late || this.lines.length >= this.linesMax) {
        this.skipped += lines.length - at
        return
      }
      if (line !== '') this.#continue(line, context)
    }
    this.spaced = kept === 'breaks' && /\s$/.test(data)
  }

  /** Adds text to the line as it is. */
  #continue(text: string, context: WalkContext): void {
    const last = this.parts.length - 1
    const before = this.parts[last]
    if (typeof before !== 'string') {
      return this.add(text.slice(0, textMax), (context.at ?? 0) | context.dialog)
    }
    const gap = this.spaced && !before.endsWith(' ') && !text.startsWith(' ') ? ' ' : ''
    this.parts[last] = (before + gap + text).slice(0, textMax)
  }

  /** Adds an element that can be referred to. */
  point(
    node: AnyElement,
    role: string,
    context: WalkContext,
    given = nameOf(node, role),
  ): LineElement {
    const name = given || this.#nameBeside(node, role, context)
    const part: LineElement = { role, number: numberOf(node), name: name.slice(0, textMax) }
    const value = valueOf(node, role)
    if (value) part.value = squeeze(value).slice(0, textMax)
    const kinds = kindsTold(node, context.kinds ?? 0, role !== 'element')
    // The cursor of a handle says in which direction it resizes; its classes say less.
    const { cursor = '' } = context.style ?? {}
    const isHandle =
      name === '' && node.id === '' && kinds === listenerKinds.resize && cursor.endsWith('-resize')
    const states = [statesOf(node, role), isHandle ? '' : listensText(kinds)]
    const said = states.filter(Boolean).join(' ')
    if (said) part.states = said
    this.pointed.push({ part, node })
    if (name === '') part.hint = isHandle ? cursor : hintOf(node)
    if (this.#urls && role === 'link' && node.href !== undefined) part.url = node.href
    this.add(part, (context.at ?? 0) | context.dialog | (context.row ? snapshotFlags.row : 0))
    const { at = 0, gone, clip, view } = context
    if (at & snapshotFlags.inView && !gone) this.inView.push({ node, part, view: clip ?? view })
    return part
  }

  /** Takes an element out of the lines again that have been written since `line`. */
  remove(part: LineElement, line = 0): void {
    for (let at = this.lines.length - 1; at >= line; at--) {
      const [depth, flags, parts] = this.lines[at]!
      if (!parts.includes(part)) continue
      const others = parts.filter((one) => one !== part)
      this.lines.splice(at, 1, ...(others.length > 0 ? [[depth, flags, others] as WalkedLine] : []))
    }
    for (const list of [this.pointed, this.inView]) {
      const at = list.findIndex((one) => one.part === part)
      if (at >= 0) list.splice(at, 1)
    }
  }

  /** The text beside a field, which then is not written again. */
  #nameBeside(node: AnyElement, role: string, { row }: WalkContext): string {
    const label = row ? undefined : nearestLabel(node, role)
    if (!label) return ''
    this.taken.add(label.node)
    const last = this.lines.at(-1)
    const [depth, flags, [text, ...more]] = last ?? [0, 0, []]
    const isWritten = text === label.text && more.length === 0 && depth === this.depth
    if (isWritten && this.parts.length === 0 && !(flags & snapshotFlags.heading)) this.lines.pop()
    return label.text
  }

  /** Adds a line, and puts the lines of `walk` below it. */
  open(part: LineElement, context: WalkContext, flags: number, walk: () => void): boolean {
    this.flush()
    this.add(part, (context.at ?? 0) | snapshotFlags.group | flags)
    this.flush()
    this.depth++
    const at = this.lines.length
    walk()
    this.flush()
    this.depth--
    return this.lines.length > at
  }
}

/**
 * Sets the flags of an element's place, what the scrollers around its content leave of it, and
 * whether a person can see it.
 */
export function setPlace(
  context: WalkContext,
  node: Element,
  rect: DOMRect,
  style: CSSStyleDeclaration,
  display: string,
): void {
  // What is fixed does not scroll with what is around it.
  if (context.clip && style.position === 'fixed') context.clip = undefined
  const seen = context.clip ?? context.view
  if (rect.width > 0 || rect.height > 0) {
    const isIn = meets(rect, seen) && !context.away
    context.at = isIn ? snapshotFlags.inView : isBefore(rect, seen) ? snapshotFlags.above : 0
  } else context.at ??= 0
  const mayScroll = display !== 'inline' && (node.firstElementChild ?? shadowRootOf(node)) !== null
  if (mayScroll) context.clip = clipOf(style, rect, seen) ?? context.clip
  const away = isOffPage(node, rect, context.view, style) || isClippedAway(style, rect)
  context.hidden = style.visibility !== 'visible'
  context.gone = context.gone === true || away
  context.mute ||= away || attributeOf(node, 'aria-hidden') === 'true' || isVeiled(style, display)
}
