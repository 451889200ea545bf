/**
 * Elements without a role of their own that the pointer has an effect on: which they are, and how
 * they are written.
 */
import type { AnyElement } from '../../any-element.ts'
import {
  allIn,
  attributeOf,
  lineBoxesOf,
  matches,
  nodesIn,
  nodeTypeOf,
  rectOf,
  styleOf,
} from '../../dom.ts'
import { nameOf } from '../accessible-name.ts'
import { isShape, type PointedElement } from '../appearance.ts'
import { filledShareMin, isAroundControl, isSameTarget, sharedArea } from '../hit-target.ts'
import type { LineElement, LinePart, WalkContext, WalkedLine } from '../lines.ts'
import { actable, actRoles, roleNames, roleOf } from '../roles.ts'
import type { View } from '../visible.ts'
import { isHoverMenu } from './hover-rules.ts'
import { listenerKinds } from './kinds.ts'
import { kindOfCursor, listenerKindsOf } from './known-listeners.ts'

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
  const tabIndex = attributeOf(element, 'tabindex')
  if (tabIndex !== null && Number(tabIndex) >= 0) return 'own'
  return kinds === 0 ? undefined : 'other'
}

/**
 * True for an element that listens for its children: several of one kind without listeners of their
 * own.
 */
function hasItems(element: Element): boolean {
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
function isWholePage(element: Element, rect: DOMRect, view: View): boolean {
  if (allIn(element, actable).length < 2) return false
  return rect.width * rect.height >= 0.8 * (view.right - view.left) * (view.bottom - view.top)
}

/** Shapes with smaller boxes are not visible as targets: drawing libraries leave many of them. */
const shapePxMin = 3

/** Elements without area cannot be clicked. Inline elements may have several boxes. */
function hasArea(element: Element, rect: DOMRect): boolean {
  if (isShape(element) && element.localName !== 'text') {
    const { width, height } = rectOf(element)
    return width >= shapePxMin || height >= shapePxMin
  }
  return (rect.width > 0 && rect.height > 0) || lineBoxesOf(element).length > 0
}

/** True for a drawing over other content that lets the pointer through and has no name. */
export const isOverlay = (element: AnyElement, { pointerEvents }: CSSStyleDeclaration): boolean =>
  pointerEvents === 'none' && nameOf(element, roleOf(element)) === ''

/** A longer name would be cut; what an element says is then written below it. */
const nameCharsMax = 160
/** Elements of a supposed delegate that are looked at. */
const partsLookedAt = 80

const isRendered = (element: Element) => element.checkVisibility({ checkOpacity: true })

/** True if its name would be very long, or would be made of parts that can be acted on. */
function isLarge(element: Element): boolean {
  const text = element.textContent ?? ''
  if (text.length > nameCharsMax && lengthShown(element) > nameCharsMax) return true
  const acting = allIn(element, actable)
  if (acting.length <= 2) return false
  return acting.length > partsLookedAt || [...acting].filter(isRendered).length > 2
}

/** The characters of its text that are displayed, up to what fits into a name and some more. */
function lengthShown(element: Element): number {
  let length = 0
  const count = (around: Element): void => {
    for (const child of nodesIn(around)) {
      if (length > nameCharsMax) return
      if (nodeTypeOf(child) === 3) length += (child as Text).data.replace(/\s+/g, ' ').trim().length
      else if (nodeTypeOf(child) === 1 && isRendered(child as Element)) count(child as Element)
    }
  }
  count(element)
  return length
}

/**
 * True for an element that listens, but does not look as if it could be clicked as a whole, and has
 * parts that do, or several blocks of text.
 */
function isDelegate(element: AnyElement, style: CSSStyleDeclaration): boolean {
  if (style.cursor === 'pointer' || element.firstElementChild === null) return false
  let blocks = 0
  const parts = allIn(element, '*')
  for (let at = 0; at < parts.length && at < partsLookedAt; at++) {
    const part = parts[at]!
    const { display, cursor } = styleOf(part)
    if (display === 'none') continue
    const kinds = listenerKindsOf(part) | kindOfCursor(cursor, style.cursor)
    if ((kinds & ~listenerKinds.hover) !== 0 || cursor === 'pointer') return true
    if (display !== 'inline' && hasOwnText(part) && ++blocks > 1) return true
  }
  return false
}

const hasOwnText = (element: Element) =>
  [...element.childNodes].some(
    (child) => nodeTypeOf(child) === 3 && (child as Text).data.trim() !== '',
  )

/** The walk that writes the lines. */
export interface ContainerWriter {
  readonly lines: readonly WalkedLine[]
  readonly pointed: readonly PointedElement[]
  readonly parts: readonly LinePart[]
  part(context: WalkContext): void
  point(node: AnyElement, role: string, context: WalkContext, name: string): LineElement
  remove(part: LineElement, line: number): void
}

/**
 * Writes a container and its content. The container itself is left out if it has no name, no state
 * and no text, and its parts fill it: a click at one of them reaches the container's listener too.
 */
function writeContainer(
  walk: ContainerWriter,
  node: AnyElement,
  container: { readonly role: string; readonly name: string; readonly context: WalkContext },
  children: () => void,
): void {
  const { role, name, context } = container
  const [line, pointed] = [walk.lines.length, walk.pointed.length]
  const part = walk.point(node, role, context, name)
  walk.part(context)
  children()
  if (context.row || name !== '' || part.states !== undefined) return
  const written = [...walk.lines.slice(line).flatMap(([, , parts]) => parts), ...walk.parts]
  const hasContent = written.slice(written.indexOf(part) + 1).some(isContent)
  if (!hasContent && isFilledBy(node, walk.pointed.slice(pointed + 1))) walk.remove(part, line)
}

/** True for text, and for elements without a ref, such as headings. */
const isContent = (part: LinePart): boolean =>
  typeof part === 'string' ? part.trim() !== '' : part.number === undefined

function isFilledBy(node: Element, parts: readonly PointedElement[]): boolean {
  // Between several native controls there is a place where only the container is clicked.
  const isToolbar = parts.length > 1 && parts.every((one) => matches(one.node, actable))
  if (isToolbar) return false
  const whole = rectOf(node)
  let last: Element | undefined
  let filled = 0
  for (const one of parts) {
    if (last?.contains(one.node)) continue
    last = one.node
    filled += sharedArea(whole, rectOf(one.node))
  }
  return filled >= filledShareMin * whole.width * whole.height
}

export interface ClickableElement {
  readonly by: NonNullable<ReturnType<typeof clickableBy>>
  readonly rect: DOMRect
  readonly role: string
  readonly style: CSSStyleDeclaration
}

/** The walk that writes the lines. */
export interface ClickableWriter extends ContainerWriter {
  children(node: AnyElement, context: WalkContext, style: CSSStyleDeclaration): void
  row(node: AnyElement, context: WalkContext, said: string): void
  table(node: AnyElement, name: string, context: WalkContext, listens: boolean): void
}

export function writeClickable(
  walk: ClickableWriter,
  node: AnyElement,
  clickable: ClickableElement,
  context: WalkContext,
): void {
  const { by, rect, style } = clickable
  if (context.gone || !hasArea(node, rect)) return walk.children(node, context, style)
  const isWhole = by !== 'item' && isWholePage(node, rect, context.view)
  if (node.localName === 'table') {
    return walk.table(node, nameOf(node, 'group'), context, !isWhole)
  }
  if (isWhole) return walk.children(node, { ...context, pointer: false }, style)
  const said = wordFor(clickable)
  const isOnlyHover = by === 'other' && context.kinds === listenerKinds.hover
  if (node.localName === 'tr') return walk.row(node, context, isOnlyHover ? '' : said)
  const items = (by === 'own' || by === 'cursor') && hasItems(node)
  if (items || isLarge(node) || (/^(own|other)$/.test(by) && isDelegate(node, style))) {
    const children = () =>
      walk.children(node, { ...context, items: items ? node : undefined }, style)
    // What happens when the pointer comes to something large is rarely about all of it.
    if (isOnlyHover && !isHoverMenu(node)) return children()
    const container = { role: said, name: nameOf(node, 'group'), context }
    return writeContainer(walk, node, container, children)
  }
  if (context.inside && (by === 'cursor' || isOnlyHover)) {
    return walk.children(node, context, style)
  }
  const name = nameOf(node, 'clickable')
  if (isSameTarget(node, name, context.outer) || isAroundControl(node, name)) {
    return walk.children(node, context, style)
  }
  walk.point(node, said, context, name)
  walk.children(node, { ...context, inside: true, outer: { node, name } }, style)
}

/** Its own role if it says something, otherwise whether it can be clicked. */
function wordFor({ role, by }: ClickableElement): string {
  if (roleNames.test(role) && !/^(list|listitem|form|section|main)$/.test(role)) return role
  return by === 'other' ? 'element' : 'clickable'
}
