/** Checks whether an element can be acted on, and where. */
import type { AnyElement } from '../any-element.ts'
import { attributeOf, matches, rectOf, styleOf } from '../dom.ts'
import { isSeen, type Spot, spotsOf } from './boxes.ts'
import { describeCover, hitAt, isReached, shownFor, shownLabelOf } from './hits.ts'
import { spotsOfWords } from './words.ts'

/** The conditions for an action. */
export interface ActionNeeds {
  /** The element is not disabled. */
  readonly enabled: boolean
  /** The element is not read-only. */
  readonly editable: boolean
  /** No other element covers it. */
  readonly hit: boolean
  /** It is at the same place in two consecutive frames. */
  readonly rest: boolean
  /** The point may be outside the view. */
  readonly anywhere?: boolean
}

export interface LookOptions {
  /** The edge to scroll to; `seldom`: only if the element is out of view. */
  readonly scrolling: 'seldom' | 'center' | 'end' | 'start'
  readonly spotsMax: number
  /** How long to wait for a frame. */
  readonly frameMs: number
  /** Words in the element that are the actual target: the points are taken from their boxes. */
  readonly words?: string | undefined
}

export type ElementLook =
  | { readonly is: 'ready'; readonly x: number; readonly y: number }
  | { readonly is: 'covered'; readonly by: string }
  /** Its position in the last frame. */
  | { readonly is: 'moving'; readonly x: number; readonly y: number }
  | { readonly is: 'option' | 'gone' | 'hidden' | 'disabled' | 'readonly' | 'outside' }

/**
 * Scrolls the element into view if necessary, compares two frames, and reports what prevents the
 * action. A hidden checkbox is represented by its label, a hidden select by its widget; so is a
 * checkbox that is drawn nowhere although it has a place.
 */
export async function lookAtElement(
  this: AnyElement,
  needs: ActionNeeds,
  options: LookOptions,
): Promise<ElementLook> {
  if (!this.isConnected) return { is: 'gone' }
  const target = shownFor(this)
  const refused = refusalOf(this, target, needs)
  if (refused) return refused
  const seen = await lookAt(this, target, needs, options)
  if (seen.is !== 'covered' && seen.is !== 'outside') return seen
  // A press on the label of an input is one on the input.
  const label = this.localName === 'input' && !needs.editable ? shownLabelOf(this) : undefined
  return label === undefined || label === target ? seen : lookAt(this, label, needs, options)
}

async function lookAt(
  element: AnyElement,
  target: Element,
  needs: ActionNeeds,
  { scrolling, spotsMax, frameMs, words }: LookOptions,
): Promise<ElementLook> {
  const [first] = spotsOf(target)
  if (!first || scrolling !== 'seldom') {
    const block = scrolling === 'seldom' ? 'center' : scrolling
    target.scrollIntoView({ block, inline: 'center', behavior: 'instant' })
  }
  const moves = needs.rest && (await isMoving(target, frameMs))
  const ofWords = words === undefined ? [] : spotsOfWords(target, words)
  const spots = (ofWords.length > 0 ? ofWords : spotsOf(target)).slice(0, spotsMax)
  if (spots.length === 0) return { is: 'outside' }
  const found = needs.hit
    ? hitOneOf(spots, element, target)
    : { is: 'ready' as const, ...spots[0]! }
  return moves && found.is === 'ready' ? { ...found, is: 'moving' } : found
}

function refusalOf(
  element: AnyElement,
  target: Element,
  needs: ActionNeeds,
): ElementLook | undefined {
  if (element.localName === 'option' && !isSeen(element)) return { is: 'option' }
  if (!isSeen(target)) return { is: 'hidden' }
  const isTrue = (name: string) => attributeOf(element, name) === 'true'
  if (needs.enabled && (matches(element, ':disabled') || isTrue('aria-disabled'))) {
    return { is: 'disabled' }
  }
  if (needs.editable && (element.readOnly || isTrue('aria-readonly'))) return { is: 'readonly' }
  return undefined
}

/** Compares with the next frame; a hidden page draws none. */
async function isMoving(element: Element, frameMs: number): Promise<boolean> {
  const before = rectOf(element)
  await new Promise((resolve) => {
    requestAnimationFrame(resolve)
    setTimeout(resolve, frameMs)
  })
  const now = rectOf(element)
  const sides = ['left', 'top', 'width', 'height'] as const
  return sides.some((side) => before[side] !== now[side])
}

/**
 * The first point where a click reaches the target; the label of an element counts as the element.
 */
function hitOneOf(spots: readonly Spot[], element: AnyElement, target: Element): ElementLook {
  for (const spot of spots) {
    const hit = hitAt(target, spot.x, spot.y)
    if (!hit) continue
    if (isReached(hit, element, target)) return { is: 'ready', ...spot }
  }
  const [first] = spots
  const hit = first && hitAt(target, first.x, first.y)
  return hit ? { is: 'covered', by: describeCover(hit, target) } : { is: 'outside' }
}

export type FrameLook =
  | { readonly is: 'ready'; readonly x: number; readonly y: number }
  | { readonly is: 'covered'; readonly by: string }
  | { readonly is: 'moved' | 'hidden' }

/**
 * For a frame's element: converts a point of the frame to the document around it, and checks
 * whether it is visible.
 */
export function lookThroughFrame(
  this: HTMLElement,
  x: number,
  y: number,
  needs: ActionNeeds,
): FrameLook {
  if (!this.isConnected || !isSeen(this)) return { is: 'hidden' }
  const box = rectOf(this)
  const { paddingLeft, paddingTop } = styleOf(this)
  const px = (length: string) => parseFloat(length) || 0
  const [scaleX, scaleY] = [box.width / this.offsetWidth, box.height / this.offsetHeight]
  const at = {
    x: box.left + (this.clientLeft + px(paddingLeft) + x) * scaleX,
    y: box.top + (this.clientTop + px(paddingTop) + y) * scaleY,
  }
  if (needs.anywhere) return { is: 'ready', ...at }
  if (at.x < 0 || at.y < 0 || at.x >= innerWidth || at.y >= innerHeight) {
    scrollBy({ left: at.x - innerWidth / 2, top: at.y - innerHeight / 2, behavior: 'instant' })
    return { is: 'moved' }
  }
  const hit = hitAt(this, at.x, at.y)
  if (needs.hit && hit !== this) {
    return hit ? { is: 'covered', by: describeCover(hit, this) } : { is: 'moved' }
  }
  return { is: 'ready', ...at }
}

/** The box of the element in its frame, including parts out of view. */
export function cornersOf(this: Element): readonly [Spot, Spot] {
  const { left, top, right, bottom } = rectOf(this)
  return [
    { x: left, y: top },
    { x: right, y: bottom },
  ]
}
