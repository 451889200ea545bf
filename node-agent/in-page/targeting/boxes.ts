/** The visible boxes of an element, and points in them. */
import { styleOf } from '../dom.ts'

export const hasSize = ({ width, height }: DOMRect) => width > 0 && height > 0

/**
 * Elements have boxes of their own, except with `display: contents`; then those of the children are
 * used.
 */
function boxesOf(element: Element): readonly DOMRect[] {
  const own = [...element.getClientRects()].filter(hasSize)
  if (own.length > 0 || !element.firstChild) return own
  if (styleOf(element).display !== 'contents') return own
  const range = document.createRange()
  range.selectNodeContents(element)
  return [...range.getClientRects()].filter(hasSize)
}

export const isSeen = (element: Element) =>
  element.checkVisibility({ visibilityProperty: true }) && boxesOf(element).length > 0

export interface Spot {
  readonly x: number
  readonly y: number
}

/**
 * The centre and the quarter points of each box in view: a link that wraps is hit on its first
 * line, a half-covered button on its visible half.
 */
export const spotsOf = (element: Element): readonly Spot[] => spotsIn(boxesOf(element))

export function spotsIn(boxes: readonly DOMRect[]): readonly Spot[] {
  return boxes.flatMap((box) => {
    const [left, right] = [Math.max(box.left, 0), Math.min(box.right, innerWidth)]
    const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)]
    if (left >= right || top >= bottom) return []
    const at = (x: number, y: number) => ({
      x: left + (right - left) * x,
      y: top + (bottom - top) * y,
    })
    return [at(0.5, 0.5), at(0.25, 0.5), at(0.75, 0.5), at(0.5, 0.25), at(0.5, 0.75)]
  })
}
