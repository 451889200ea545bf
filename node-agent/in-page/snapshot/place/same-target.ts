/** Elements inside one another that are one thing to click. */
import type { AnyElement } from '../../any-element.ts'
import { actable } from '../clickable.ts'
import { actRoles, nameOf, roleOf } from '../names.ts'

export * from '../clickable.ts'
export * from '../names.ts'

/** An element with a ref, around others. */
export interface OuterTarget {
  readonly node: Element
  readonly name: string
}

/** True if a click at the middle of the outer element reaches the inner one, of the same name. */
export function isSameTarget(inner: Element, name: string, outer: OuterTarget | undefined) {
  if (!outer || name === '' || name !== outer.name) return false
  const [box, whole] = [inner.getBoundingClientRect(), outer.node.getBoundingClientRect()]
  const x = (whole.left + whole.right) / 2
  const y = (whole.top + whole.bottom) / 2
  return box.left <= x && x <= box.right && box.top <= y && y <= box.bottom
}

/** True for an element that listens around a single control of the same name. */
export function isAroundControl(element: Element, name: string): boolean {
  if (name === '') return false
  const inner = [...element.querySelectorAll<AnyElement>(`${actable}, [role]`)]
  const controls = inner.filter((one) => actRoles.has(roleOf(one)))
  const [only] = controls
  return only !== undefined && controls.length === 1 && nameOf(only, roleOf(only)) === name
}
