/** How an element without a role is written that the pointer has an effect on. */
import type { AnyElement } from '../../any-element.ts'
import { type clickableBy, hasArea, hasItems, isWholePage } from '../clickable.ts'
import type { WalkContext } from '../lines.ts'
import { nameOf } from '../names.ts'
import { isAroundControl, isSameTarget } from '../place/same-target.ts'
import { roleNames } from '../roles.ts'
import { type ContainerWriter, writeContainer } from './containers.ts'
import { isDelegate, isLarge } from './delegates.ts'
import { isHoverMenu } from './hover-rules.ts'
import { listenerKinds } from './kinds.ts'

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
