/** Elements without a role that can be clicked. */
import type { AnyElement } from '../any-element.ts'
import { actRoles, roleOf } from './roles.ts'
import { KnownNodes } from './tree.ts'
import type { View } from './visible.ts'

export * from './roles.ts'
export * from './tree.ts'

/** Why a click would have an effect: `own` listener, `cursor`, `item` of a list, or undefined. */
export function clickableBy(
  element: Element,
  style: CSSStyleDeclaration,
  context: { readonly items?: Element | undefined; readonly pointer: boolean },
): 'own' | 'item' | 'cursor' | undefined {
  if (element.localName === 'body' || element.localName === 'html') return undefined
  if (KnownNodes.listening.has(element) || element.hasAttribute('onclick')) return 'own'
  if (context.items && element.parentNode === context.items) return 'item'
  if (style.cursor === 'pointer' && !context.pointer && element.localName !== 'label')
    return 'cursor'
  const tabIndex = element.getAttribute('tabindex')
  if (tabIndex !== null && Number(tabIndex) >= 0) return 'own'
  return element.getAttribute('draggable') === 'true' ? 'own' : undefined
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
    if (child.localName !== name || KnownNodes.listening.has(child) || actRoles.has(roleOf(child)))
      return false
  }
  return true
}

export const actable =
  'a[href], button, input, select, textarea, [onclick], [role=button], [role=link]'

/** True if its name would be very long; such an element gets a line without a name. */
export function isLarge(element: Element): boolean {
  return (element.textContent ?? '').length > 300 || element.querySelectorAll(actable).length > 2
}

/** True for the root of an application, which listens for all events in it. */
export function isWholePage(element: Element, rect: DOMRect, view: View): boolean {
  if (element.querySelectorAll(actable).length < 2) return false
  return rect.width * rect.height >= 0.8 * (view.right - view.left) * (view.bottom - view.top)
}

/** Elements without area cannot be clicked. Inline elements may have several boxes. */
export const hasArea = (element: Element, rect: DOMRect) =>
  (rect.width > 0 && rect.height > 0) || element.getClientRects().length > 0
