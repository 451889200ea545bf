/** What the agent calls to read a document as lines. */
import type { AnyElement } from '../any-element.ts'
import { documentOf, rootOf } from '../dom.ts'
import { boxPlaceOf, tellApart } from './appearance.ts'
import { documentIn, type RemoteFrame } from './frames.ts'
import { coverOf, nameOfCover } from './hit-target.ts'
import type { LineElement, LineLimits, WalkedLine } from './lines.ts'
import { hearHandlers, listenerKindsOf, ownListeners } from './listeners/known-listeners.ts'
import { forgetGenerated } from './text.ts'
import {
  closedRoots,
  elementOf,
  type Fate,
  fateOf,
  isElement,
  lastNumber,
  startNumbers,
} from './tree.ts'
import { forgetLeading } from '../targeting/unsaid.ts'
import { forgetBackdrops, forgetReaches, viewOf } from './visible.ts'
import { LineWalk } from './walk.ts'

export interface NumberOptions {
  /** Numbers continue after those of the tab's other documents. */
  readonly firstNumber: number
  readonly rememberedMax: number
}

export interface FrameWalk {
  readonly lines: readonly WalkedLine[]
  /** Frames of other origins. */
  readonly frames: readonly RemoteFrame[]
  /** The numbers of frames with nothing in them yet. */
  readonly emptyFrames: readonly number[]
  /** The number of elements that may have a closed root. */
  readonly hosts: number
  readonly skipped: number
  /** The percentage of the view that is covered by canvases. */
  readonly drawn: number
  readonly late: boolean
  readonly lastNumber: number
  readonly url: string
  readonly title: string
  readonly loading: boolean
}

let lastHosts: readonly Element[] = []

/** The elements of the last walk that may have a closed root. */
export const hostsToAsk = () => lastHosts

export function startWalk({ firstNumber, rememberedMax }: NumberOptions): void {
  forgetBackdrops()
  forgetReaches()
  forgetGenerated()
  forgetLeading()
  startNumbers(firstNumber, rememberedMax)
}

/** Adds the places of all elements that have refs. */
function placeAll(lines: readonly WalkedLine[]): void {
  for (const [, , parts] of lines) {
    for (const part of parts) {
      const number = typeof part === 'string' ? undefined : part.number
      const element = number === undefined ? null : elementOf(number)
      if (element && typeof part !== 'string') part.place = boxPlaceOf(element)
    }
  }
}

/** True for a drawing without a name that nothing listens to. */
const isBackground = (node: AnyElement, { role, name }: LineElement): boolean =>
  role === 'canvas' && !name && listenerKindsOf(node) === 0

/** Marks the elements that a click would not reach; leaves out drawings behind other content. */
function markCovered(walk: LineWalk, coversMs: number): void {
  const untilMs = performance.now() + coversMs
  const backgrounds: LineElement[] = []
  for (const { node, part, view } of walk.inView) {
    if (performance.now() > untilMs) break
    const cover = coverOf(node, view)
    if (cover === undefined) continue
    if (isBackground(node, part)) backgrounds.push(part)
    else part.cover = nameOfCover(cover, node)
  }
  for (const part of backgrounds) walk.remove(part)
}

export function readLines(
  options: LineLimits & NumberOptions,
  within: Element | undefined,
): FrameWalk {
  startWalk(options)
  const walk = new LineWalk(options)
  const top = within ?? document.body ?? document.documentElement
  if (top) walk.start(top, viewOf(documentOf(top)))
  tellApart(walk.pointed)
  if (options.boxes) placeAll(walk.lines)
  if (!options.needle) markCovered(walk, options.coversMs)
  lastHosts = walk.hosts
  return {
    lines: walk.lines,
    frames: walk.frames,
    emptyFrames: walk.emptyFrames,
    hosts: walk.hosts.length,
    skipped: walk.skipped,
    drawn: Math.min(100, Math.round((100 * walk.drawn) / (innerWidth * innerHeight))) || 0,
    late: walk.late,
    lastNumber: lastNumber(),
    url: location.href,
    title: document.title,
    loading: document.readyState === 'loading',
  }
}

export interface DocumentSize {
  readonly elements: number
  readonly chars: number
}

/** The id of this document, which is given to it when it is first read. */
let documentId: string | undefined

/** Hears of handlers by an event of that name; returns the id of the document. */
export function openReader(newDocumentId: string, eventName: string): string {
  documentId ??= newDocumentId
  hearHandlers(eventName)
  return documentId
}

/** What has become of the element with a number in the document it was given for. */
export const fateIn = (number: number, id: string): Fate =>
  id === documentId ? fateOf(number) : 'navigated'

/** Undefined also for an element of an inner frame. */
export function ownElement(number: number, id: string): Element | undefined {
  const element = fateIn(number, id) === 'here' ? elementOf(number) : undefined
  return element?.ownerDocument === document ? element : undefined
}

/** Records what elements listen for, and the closed roots that contain them. */
export function recordListeners(kinds: readonly number[], ...found: readonly Node[]): void {
  for (const [at, element] of found.entries()) {
    if (!isElement(element)) continue
    ownListeners.set(element, kinds[at] ?? 0)
    let root = rootOf(element)
    while ('host' in root && root.host) {
      if (root.mode === 'closed') closedRoots.set(root.host, root)
      root = rootOf(root.host)
    }
  }
}

export function openRoots(...roots: readonly ShadowRoot[]): void {
  for (const root of roots) closedRoots.set(root.host, root)
}

/** Estimates the size of a description of this document, including frames. */
export const documentSize = (): DocumentSize => sizeOf(document)

function sizeOf(document: Document): DocumentSize {
  const frames = [...document.querySelectorAll('iframe, frame')].map(documentIn)
  return frames.reduce(
    (sum, inner) => {
      if (!inner) return sum
      const { elements, chars } = sizeOf(inner)
      return { elements: sum.elements + elements, chars: sum.chars + chars }
    },
    {
      elements: document.getElementsByTagName('*').length,
      chars: document.documentElement?.outerHTML.length ?? 0,
    },
  )
}
