/** Elements inside one another that are one thing to click. */
import type { AnyElement } from '../../any-element.ts'
import { boxOf } from '../../measure.ts'
import { actable } from '../listeners/delegates.ts'
import { nameOf } from '../names.ts'
import { actRoles, roleOf } from '../roles.ts'

/** An element with a ref, around others. */
export interface OuterTarget {
  readonly node: Element
  readonly name: string
}

/** True if a click at the middle of the outer element reaches the inner one, of the same name. */
export function isSameTarget(inner: Element, name: string, outer: OuterTarget | undefined) {
  if (!outer || name === '' || name !== outer.name) return false
  const [box, whole] = [boxOf(inner), boxOf(outer.node)]
  const x = (whole.left + whole.right) / 2
  const y = (whole.top + whole.bottom) / 2
  return box.left <= x && x <= box.right && box.top <= y && y <= box.bottom
}

/** True for an element that listens around a single control: of the same name, or that fills it. */
export function isAroundControl(element: Element, name: string): boolean {
  const inner = [...element.querySelectorAll<AnyElement>(`${actable}, [role]`)]
  const controls = inner.filter((one) => actRoles.has(roleOf(one)))
  const [only] = controls
  if (only === undefined || controls.length !== 1) return false
  return name === '' ? fills(only, element) : nameOf(only, roleOf(only)) === name
}

/** True if the inner element takes most of the outer one, so that a click there is mostly one on it. */
function fills(inner: Element, outer: Element): boolean {
  const [box, whole] = [boxOf(inner), boxOf(outer)]
  return sharedArea(box, whole) >= filledShareMin * whole.width * whole.height
}

/** What an element's parts have to cover of it, so that a click on it is mostly one on a part. */
export const filledShareMin = 0.5

type Edges = Pick<DOMRect, 'left' | 'top' | 'right' | 'bottom'>

/** The area that two boxes have in common, in pixels. */
export const sharedArea = (one: Edges, other: Edges): number =>
  Math.max(0, Math.min(one.right, other.right) - Math.max(one.left, other.left)) *
  Math.max(0, Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top))
