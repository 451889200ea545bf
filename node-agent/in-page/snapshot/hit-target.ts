/**
 * What a click on an element reaches: what covers it, and elements inside one another that are one
 * thing to click.
 */
import type { AnyElement } from '../any-element.ts'
import { allIn, closestTo, lineBoxesOf, rectOf, styleOf } from '../dom.ts'
import { elementAbove, hitAt, isInside } from '../targeting/hits.ts'
import { hintOf, nameOf } from './accessible-name.ts'
import { actable, actRoles, roleOf } from './roles.ts'
import { knownNumberOf } from './tree.ts'
import type { View } from './visible.ts'

export type ShownBox = Pick<View, 'left' | 'top' | 'right' | 'bottom'>

/** Smaller boxes are not tested. */
const coveredPxMin = 3
/** Where a box is tested, as parts of its width and height. */
const coverSpots = [
  { x: 0.5, y: 0.5 },
  { x: 0.2, y: 0.2 },
  { x: 0.8, y: 0.8 },
  { x: 0.8, y: 0.2 },
  { x: 0.2, y: 0.8 },
]

/** What lies over the element, or undefined if it can be clicked. */
export function coverOf(element: AnyElement, view: View): Element | undefined {
  const rect = lineBoxesOf(element)[0]
  if (!rect) return undefined
  const box = meetingOf(rect, view)
  if (!coverAt(box, element)) return undefined
  // Not what a box around the element cuts off.
  return coverAt(clippedBox(box, element), element)
}

/** What was hit, if nowhere the element was. */
function coverAt(box: ShownBox, element: AnyElement): Element | undefined {
  const [width, height] = [box.right - box.left, box.bottom - box.top]
  if (width < coveredPxMin || height < coveredPxMin) return undefined
  let cover: Element | undefined
  for (const { x, y } of coverSpots) {
    const hit = hitAt(element, box.left + x * width, box.top + y * height)
    if (!hit || isInside(hit, element) || isInside(element, hit)) return undefined
    if (closestTo(hit, 'label')?.control === element) return undefined
    cover ??= hit
  }
  return cover
}

const meetingOf = (one: ShownBox, other: ShownBox): ShownBox => ({
  left: Math.max(one.left, other.left),
  top: Math.max(one.top, other.top),
  right: Math.min(one.right, other.right),
  bottom: Math.min(one.bottom, other.bottom),
})

function clippedBox(box: ShownBox, element: Element): ShownBox {
  let clipped = box
  for (let above = elementAbove(element); above; above = elementAbove(above)) {
    if (above.localName === 'body' || above.localName === 'html') break
    const { overflowX, overflowY } = styleOf(above)
    const clips = overflowX !== 'visible' || overflowY !== 'visible'
    if (clips) clipped = meetingOf(clipped, rectOf(above))
  }
  return clipped
}

/** The number of the outermost element with a ref around the cover but not the covered, or words. */
export function nameOfCover(cover: Element, element: Element): number | string {
  let number: number | undefined
  let whole = cover
  for (let at: Element | null = cover; at && !isInside(element, at); at = elementAbove(at)) {
    whole = at
    number = knownNumberOf(at) ?? number
  }
  return number ?? (hintOf(whole as AnyElement) || whole.localName)
}

/** An element with a ref, around others. */
export interface OuterTarget {
  readonly node: Element
  readonly name: string
}

/** True if a click at the middle of the outer element reaches the inner one, of the same name. */
export function isSameTarget(inner: Element, name: string, outer: OuterTarget | undefined) {
  if (!outer || name === '' || name !== outer.name) return false
  const [box, whole] = [rectOf(inner), rectOf(outer.node)]
  const x = (whole.left + whole.right) / 2
  const y = (whole.top + whole.bottom) / 2
  return box.left <= x && x <= box.right && box.top <= y && y <= box.bottom
}

/**
 * True for an element that listens around a single control: of the same name, or that fills it. What
 * is not shown is not in it; nor is what lies elsewhere, as the submenu of an item does.
 */
export function isAroundControl(element: Element, name: string): boolean {
  const whole = rectOf(element)
  const shown = [...allIn(element, `${actable}, [role]`)].filter(
    (one) => actRoles.has(roleOf(one)) && isShown(one),
  )
  const [only, ...others] = shown.filter((one) => sharedArea(rectOf(one), whole) > 0)
  if (only === undefined || others.length > 0) return false
  // The name would have the text of what lies elsewhere.
  return name === '' || shown.length > 1
    ? fills(only, element)
    : nameOf(only, roleOf(only)) === name
}

/** Pages make native controls transparent and draw others in their place. */
const isShown = (element: Element) => element.checkVisibility({ visibilityProperty: true })

/** True if the inner element takes most of the outer one, so that a click there is mostly one on it. */
function fills(inner: Element, outer: Element): boolean {
  const [box, whole] = [rectOf(inner), rectOf(outer)]
  return sharedArea(box, whole) >= filledShareMin * whole.width * whole.height
}

/** What an element's parts have to cover of it, so that a click on it is mostly one on a part. */
export const filledShareMin = 0.5

type Edges = Pick<DOMRect, 'left' | 'top' | 'right' | 'bottom'>

/** The area that two boxes have in common, in pixels. */
export const sharedArea = (one: Edges, other: Edges): number =>
  Math.max(0, Math.min(one.right, other.right) - Math.max(one.left, other.left)) *
  Math.max(0, Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top))
