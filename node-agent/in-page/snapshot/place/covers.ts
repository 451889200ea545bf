/** What lies over the elements in view, so that a click would not reach them. */
import type { AnyElement } from '../../any-element.ts'
import { boxOf, styleOf } from '../../measure.ts'
import { elementAbove, hitAt, isInside } from '../../targeting/hits.ts'
import { hintOf } from '../names.ts'
import { knownNumberOf } from '../tree.ts'
import type { View } from '../visible.ts'

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
  const rect = element.getClientRects()[0]
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
    if (hit.closest('label')?.control === element) return undefined
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
    if (clips) clipped = meetingOf(clipped, boxOf(above))
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
