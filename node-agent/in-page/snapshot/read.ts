/** Reads the page, or the content of an element, as lines. */
import type { AnyElement } from '../any-element.ts'
import type { LineElement, LineLimits, WalkedLine } from './lines.ts'
import { listenerKindsOf } from './listeners/known-listeners.ts'
import { tellApart } from './looks/alike.ts'
import { boxPlaceOf } from './looks/shapes.ts'
import { coverOf, nameOfCover } from './place/covers.ts'
import { forgetReaches } from './place/scrolling.ts'
import { forgetGenerated } from './text/generated.ts'
import { elementOf, lastNumber, startNumbers } from './tree.ts'
import { forgetBackdrops, viewOf } from './visible.ts'
import { LineWalk, type RemoteFrame } from './walk.ts'

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
  startNumbers(firstNumber, rememberedMax)
}

/** Adds the places of all elements that have refs. */
function placeAll(lines: readonly WalkedLine[]): void {
  for (const [, , parts] of lines) {
    for (const part of parts) {
      const number = typeof part === 'string' ? undefined : part.r
      const element = number === undefined ? null : elementOf(number)
      if (element && typeof part !== 'string') part.p = boxPlaceOf(element)
    }
  }
}

/** True for a drawing without a name that nothing listens to. */
const isBackground = (node: AnyElement, { o, n }: LineElement): boolean =>
  o === 'canvas' && !n && listenerKindsOf(node) === 0

/** Marks the elements that a click would not reach; leaves out drawings behind other content. */
function markCovered(walk: LineWalk, coversMs: number): void {
  const untilMs = performance.now() + coversMs
  const backgrounds: LineElement[] = []
  for (const { node, part, view } of walk.inView) {
    if (performance.now() > untilMs) break
    const cover = coverOf(node, view)
    if (cover === undefined) continue
    if (isBackground(node, part)) backgrounds.push(part)
    else part.c = nameOfCover(cover, node)
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
  if (top) walk.start(top, viewOf(top.ownerDocument))
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
