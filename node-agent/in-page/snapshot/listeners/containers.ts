/** Containers that listen for their parts: a ref of their own is noise if the parts fill them. */
import type { AnyElement } from '../../any-element.ts'
import { boxOf } from '../../measure.ts'
import type { LineElement, LinePart, WalkContext, WalkedLine } from '../lines.ts'
import type { PointedElement } from '../looks/alike.ts'
import { filledShareMin, sharedArea } from '../place/same-target.ts'
import { actable } from './delegates.ts'

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
export function writeContainer(
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
  if (context.row || name !== '' || part.s !== undefined) return
  const written = [...walk.lines.slice(line).flatMap(([, , parts]) => parts), ...walk.parts]
  const hasContent = written.slice(written.indexOf(part) + 1).some(isContent)
  if (!hasContent && isFilledBy(node, walk.pointed.slice(pointed + 1))) walk.remove(part, line)
}

/** True for text, and for elements without a ref, such as headings. */
const isContent = (part: LinePart): boolean =>
  typeof part === 'string' ? part.trim() !== '' : part.r === undefined

function isFilledBy(node: Element, parts: readonly PointedElement[]): boolean {
  // Between several native controls there is a place where only the container is clicked.
  const isToolbar = parts.length > 1 && parts.every((one) => one.node.matches(actable))
  if (isToolbar) return false
  const whole = boxOf(node)
  let last: Element | undefined
  let filled = 0
  for (const one of parts) {
    if (last?.contains(one.node)) continue
    last = one.node
    filled += sharedArea(whole, boxOf(one.node))
  }
  return filled >= filledShareMin * whole.width * whole.height
}
