/** Determines which element a click at a point would reach. */
import type { AnyElement } from '../any-element.ts'
import { closestTo, rootOf } from '../dom.ts'
import { dressOf } from '../snapshot/roles.ts'
import { isSeen } from './boxes.ts'

/**
 * Tests from the outermost root inwards, because from outside a closed root only its host is found.
 */
export function hitAt(element: Element, x: number, y: number): Element | null {
  const root = rootOf(element)
  if (!('host' in root)) return root.elementFromPoint(x, y)
  const outside = hitAt(root.host, x, y)
  return outside === root.host ? root.elementFromPoint(x, y) : outside
}

/** The parent of an element as it is rendered, across slots and shadow roots. */
export function elementAbove(node: Element): Element | null {
  const root = rootOf(node)
  return node.assignedSlot ?? node.parentElement ?? ('host' in root ? root.host : null)
}

export function isInside(node: Element, element: Element): boolean {
  for (let at: Element | null = node; at; at = elementAbove(at)) if (at === element) return true
  return false
}

/**
 * The visible representation of an element: the label of a hidden checkbox, or the widget that
 * replaces a hidden select.
 */
export function shownFor(element: AnyElement): Element {
  if (isSeen(element)) return element
  const label = shownLabelOf(element)
  if (element.localName !== 'select') return label ?? element
  return dressOf(element as unknown as HTMLSelectElement) ?? label ?? element
}

export const shownLabelOf = (element: AnyElement): Element | undefined =>
  [...(element.labels ?? [])].find(isSeen)

/** True for what has content of its own, where the document around it sees no events. */
export const ownsFrame = ({ localName }: Element): boolean =>
  /^(iframe|frame|object|embed|fencedframe)$/.test(localName)

/** Whether input at `hit` reaches the element, which `target` represents visibly. */
export const isReached = (hit: Element, element: AnyElement, target: Element): boolean =>
  isInside(hit, target) || closestTo(hit, 'label')?.control === element

/** Describes the covering element: the outermost one that does not contain the target. */
export function describeCover(hit: Element, element: Element): string {
  let whole = hit
  for (let up = elementAbove(hit); up && !isInside(element, up); up = elementAbove(up)) whole = up
  return describeElement(whole)
}

/** Describes an element as a CSS selector, with the beginning of its text. */
export function describeElement(whole: Element): string {
  const classes = [...whole.classList].map((name) => `.${name}`).join('')
  const id = whole.id ? `#${whole.id}` : ''
  const shown = 'innerText' in whole ? String(whole.innerText) : ''
  const text = shown.trim().replace(/\s+/g, ' ').slice(0, 60)
  return whole.localName + id + classes + (text ? ` "${text}"` : '')
}
