/** What pointer and keyboard reach on a page: a press is watched from before it until it is over. */
import type { AnyElement } from '../any-element.ts'
import { closestTo, documentOf, rootOf } from '../dom.ts'
import { nextTask } from '../drawing.ts'
import {
  describeCover,
  describeElement,
  elementAbove,
  hitAt,
  isReached,
  ownsFrame,
  shownFor,
} from '../targeting/hits.ts'

export interface PressWatch {
  /** The first element that an event of this type had as its target. */
  readonly landed: Map<string, Element>
  /** Whether these were the watched element, judged when the event came. */
  readonly reached: Map<string, boolean>
  /** The page has changed since, in more than the place of the element. */
  changed: boolean
  /** The pointer has moved in this document. */
  hasMoved: boolean
  /** Resolves with that motion. */
  readonly moved: Promise<void>
  /** The press goes into a frame, whose events this document does not see. */
  intoFrame: boolean
  stop(): void
}

const watches = new WeakMap<Element, PressWatch>()

const watchedTypes = ['pointerdown', 'mousedown']

/** Where a second press could do harm that the first has not done. */
const pressable =
  'a, area, audio, button, details, embed, iframe, input, label, object, option, select, summary, ' +
  'textarea, video, [contenteditable], [onclick], [role], [tabindex]'

/** The roots around an element, from the document inwards. */
function rootsAround(element: Element): readonly EventTarget[] {
  const root = rootOf(element)
  return 'host' in root ? [...rootsAround(root.host), root] : [root.defaultView ?? root]
}

/** Begins to watch for the next press. Events pass the roots inwards, so the last one knows best. */
export function watchPress(this: AnyElement): void {
  watches.get(this)?.stop()
  const target = shownFor(this)
  const roots = rootsAround(this)
  const first = new Map<string, Event>()
  let noteMotion = () => {}
  const watch: PressWatch = {
    ...{ landed: new Map(), reached: new Map() },
    ...{ changed: false, hasMoved: false, intoFrame: false },
    moved: new Promise((resolve) => (noteMotion = resolve)),
    stop() {
      observer.disconnect()
      for (const root of roots) {
        for (const type of [...watchedTypes, 'mousemove'])
          root.removeEventListener(type, note, true)
      }
    },
  }
  const note = (event: Event) => {
    const hit = event.composedPath()[0] as Element
    if (!event.isTrusted || typeof hit.closest !== 'function') return
    if (event.type === 'mousemove') {
      watch.hasMoved = true
      return noteMotion()
    }
    if ((first.get(event.type) ?? event) !== event) return
    // What the page did upon the motion does not count.
    if (first.size === 0) {
      observer.takeRecords()
      watch.changed = false
    }
    first.set(event.type, event)
    watch.landed.set(event.type, hit)
    watch.reached.set(event.type, isReached(hit, this, target))
  }
  const isOther = (node: Node) => node !== this && node !== target
  const observer = new MutationObserver((records) => {
    watch.changed ||= records.some(({ type, addedNodes, removedNodes }) =>
      type === 'childList' ? [...addedNodes, ...removedNodes].some(isOther) : true,
    )
  })
  const everything = { subtree: true, childList: true, attributes: true, characterData: true }
  observer.observe(documentOf(this), everything)
  for (const root of roots) {
    for (const type of [...watchedTypes, 'mousemove']) root.addEventListener(type, note, true)
  }
  watches.set(this, watch)
}

export interface Arrival {
  /** A press at the point would reach the element. */
  readonly hits: boolean
  /** What is at the point, if something else. */
  readonly on?: string | undefined
  /** The page has drawn a frame since the pointer moved; otherwise it may still change. */
  readonly isDrawn: boolean
}

/** Resolves after the next frame, which shows the effect of all events up to now. */
function nextDrawing(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve))
  })
}

/**
 * Gives the page a frame to react to the motion of the pointer, and tests again what is at the
 * point. `isThere`: the motion has been delivered; otherwise it is awaited. Neither takes longer
 * than `frameMs`: a hidden page draws no frames, and a page can hide motions from us.
 */
export async function arrivalAt(
  this: AnyElement,
  x: number,
  y: number,
  frameMs: number,
  isThere: boolean,
): Promise<Arrival> {
  const watch = watches.get(this)
  const motion = isThere ? Promise.resolve() : watch?.moved
  const isDrawn = await new Promise<boolean>((resolve) => {
    void motion?.then(nextDrawing).then(() => resolve(true))
    setTimeout(resolve, frameMs, false)
  })
  if (!this.isConnected) {
    const there = documentOf(this).elementFromPoint(x, y)
    return { hits: false, on: there ? describeElement(there) : undefined, isDrawn }
  }
  const target = shownFor(this)
  const hit = hitAt(target, x, y)
  if (!hit) return { hits: false, isDrawn }
  if (!isReached(hit, this, target)) {
    return { hits: false, on: describeCover(hit, target), isDrawn }
  }
  if (watch) watch.intoFrame = ownsFrame(hit)
  return { hits: true, isDrawn }
}

/** What a page that redraws has put in the place of the element: it looks the same. */
export function twinAt(this: AnyElement, x: number, y: number): Element | undefined {
  const hit = documentOf(this).elementFromPoint(x, y)
  return this.isConnected || !hit ? undefined : twinAround(hit, this)
}

/** The element with the look of another one, around a place. */
function twinAround(hit: Element, { localName, className, textContent }: Element) {
  const said = (text: string | null) => (text ?? '').replace(/\s+/g, ' ').trim()
  const wanted = said(textContent)
  let at: Element | null = hit
  while (at) {
    const looksSame = at.localName === localName && String(at.className) === String(className)
    if (looksSame && said(at.textContent) === wanted) return at
    at = elementAbove(at)
  }
  return undefined
}

export interface PressFate {
  readonly reached: boolean
  /** What the press landed on; undefined if this frame has received none. */
  readonly on?: string | undefined
  /** Nothing has come of it, so another press does no harm. */
  readonly safe: boolean
}

/** What has become of the press; ends the watch. */
export async function pressFate(this: AnyElement): Promise<PressFate> {
  const watch = watches.get(this)
  // Observers are told after the events.
  await nextTask()
  watch?.stop()
  watches.delete(this)
  if (!watch || watch.intoFrame) return { reached: true, safe: false }
  const type = watchedTypes.toReversed().find((one) => watch.landed.has(one)) ?? ''
  const landed = watch.landed.get(type)
  // A page that stops events at once lets nobody see them; input that was dropped does not move.
  if (!landed) return { reached: watch.hasMoved, safe: true }
  const hasTwin = !this.isConnected && twinAround(landed, this) !== undefined
  if (hasTwin || watch.reached.get(type)) return { reached: true, safe: false }
  const safe = !watch.changed && !closestTo(landed, pressable)
  const on = this.isConnected ? describeCover(landed, this) : describeElement(landed)
  return { reached: false, on, safe }
}

/** Ends a watch of which nothing is asked. */
export function unwatch(this: AnyElement): void {
  watches.get(this)?.stop()
  watches.delete(this)
}
