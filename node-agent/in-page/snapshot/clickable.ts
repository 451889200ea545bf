/** Elements without a role that the pointer has an effect on. */
import type { AnyElement } from '../any-element.ts'
import { boxOf } from '../measure.ts'
import { actable } from './listeners/delegates.ts'
import { listenerKinds } from './listeners/kinds.ts'
import { kindOfCursor, listenerKindsOf } from './listeners/known-listeners.ts'
import { isShape } from './looks/shapes.ts'
import { nameOf } from './names.ts'
import { actRoles, roleOf } from './roles.ts'
import type { View } from './visible.ts'

/** What an element listens for, also by the shape that the pointer gets on it. */
export const kindsAt = (
  element: Element,
  { cursor }: CSSStyleDeclaration,
  around: CSSStyleDeclaration | undefined,
) =>
  /^(body|html)$/.test(element.localName)
    ? 0
    : listenerKindsOf(element) | kindOfCursor(cursor, around?.cursor)

/**
 * Why the pointer would have an effect: `own` listener, `cursor`, `item` of a list, something
 * `other` than a click, or undefined.
 */
export function clickableBy(
  element: Element,
  style: CSSStyleDeclaration,
  context: { readonly items?: Element | undefined; readonly pointer: boolean },
  kinds: number,
): 'own' | 'item' | 'cursor' | 'other' | undefined {
  if (element.localName === 'body' || element.localName === 'html') return undefined
  if (kinds & listenerKinds.click) return 'own'
  if (context.items && element.parentNode === context.items) return 'item'
  if (style.cursor === 'pointer' && !context.pointer && element.localName !== 'label')
    return 'cursor'
  const tabIndex = element.getAttribute('tabindex')
  if (tabIndex !== null && Number(tabIndex) >= 0) return 'own'
  return kinds === 0 ? undefined : 'other'
}

/**
 * True for an element that listens for its children: several of one kind without listeners of their
 * own.
 */
export function hasItems(element: Element): boolean {
  const children = element.children as HTMLCollectionOf<AnyElement>
  const first = children[0]
  if (!first || children.length < 2) return false
  const name = first.localName
  for (const child of children) {
    if (
      child.localName !== name ||
      listenerKindsOf(child) & listenerKinds.click ||
      actRoles.has(roleOf(child))
    )
      return false
  }
  return true
}

/** True for the root of an application, which listens for all events in it. */
export function isWholePage(element: Element, rect: DOMRect, view: View): boolean {
  if (element.querySelectorAll(actable).length < 2) return false
  return rect.width * rect.height >= 0.8 * (view.right - view.left) * (view.bottom - view.top)
}

/** Shapes with smaller boxes are not visible as targets: drawing libraries leave many of them. */
const shapePxMin = 3

/** Elements without area cannot be clicked. Inline elements may have several boxes. */
export function hasArea(element: Element, rect: DOMRect): boolean {
  if (isShape(element) && element.localName !== 'text') {
    const { width, height } = boxOf(element)
    return width >= shapePxMin || height >= shapePxMin
  }
  return (rect.width > 0 && rect.height > 0) || element.getClientRects().length > 0
}

/** True for a drawing over other content that lets the pointer through and has no name. */
export const isOverlay = (element: AnyElement, { pointerEvents }: CSSStyleDeclaration): boolean =>
  pointerEvents === 'none' && nameOf(element, roleOf(element)) === ''
