/**
 * The tree as it is rendered: shadow roots (closed ones too, once known), slots and frames of this
 * origin take the place of what they replace.
 */
import type { AnyElement } from '../any-element.ts'
import { documentOf, nodesIn, nodeTypeOf, shadowRootOf } from '../dom.ts'
import { frameElements } from './frames.ts'

/** Closed roots by their hosts; only the debugger can find them. */
export const closedRoots = new WeakMap<Element, ShadowRoot>()
/** The height of a host when it was checked for a closed root and had none. */
const askedHeights = new WeakMap<Element, number>()

/** The numbers of elements, which stay the same as long as the document exists. */
const numbers = new WeakMap<Element, number>()
const numbered = new Map<number, WeakRef<Element>>()
let last = 0

export const lastNumber = () => last

export const knownNumberOf = (element: Element): number | undefined => numbers.get(element)

export const elementOf = (number: number): Element | undefined => numbered.get(number)?.deref()

/** Elements whose content is no text of the page. */
export const unread = new Set(
  'script style template noscript head link meta base desc metadata defs'.split(' '),
)
/** Elements that can have a shadow root. */
const rootHosts = new Set(
  'article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span'.split(
    ' ',
  ),
)

export const isText = (node: Node): node is Text => nodeTypeOf(node) === 3
export const isElement = (node: Node): node is AnyElement => nodeTypeOf(node) === 1
const isSlot = (node: Element): node is HTMLSlotElement => node.localName === 'slot'

export const shadowIn = (element: Element) => shadowRootOf(element) ?? closedRoots.get(element)

export function childrenOf(element: Element): Iterable<Node> {
  if (isSlot(element)) {
    const assigned = element.assignedNodes()
    if (assigned.length > 0) return assigned
  }
  return nodesIn(shadowIn(element) ?? element)
}

/**
 * An element may have a closed root if it is a custom element, or if it takes space although it is
 * empty. A host with children that are not rendered is recognised by its children.
 */
export function mayHideRoot(element: Element, rect: DOMRect): boolean {
  const name = element.localName
  const component = String(name).includes('-')
  if (!component && !(rootHosts.has(name) && rect.height > 0 && isEmpty(element))) return false
  return shadowIn(element) ? false : isToBeAsked(element, rect.height)
}

function isEmpty({ firstChild }: Element): boolean {
  if (firstChild === null) return true
  const text = 'data' in firstChild ? String(firstChild.data) : undefined
  return firstChild.nextSibling === null && text?.trim() === ''
}

/** Checks again only if the height has changed. */
export function isToBeAsked(element: Element, height: number): boolean {
  if (askedHeights.get(element) === height) return false
  askedHeights.set(element, height)
  return true
}

export function numberOf(element: Element): number {
  const known = numbers.get(element)
  if (known !== undefined) return known
  const number = ++last
  numbers.set(element, number)
  numbered.set(number, new WeakRef(element))
  return number
}

/** Called before each walk. Numbers continue after those of the tab's other documents. */
export function startNumbers(firstNumber: number, rememberedMax: number): void {
  last = Math.max(last, firstNumber)
  tidyNumbers(rememberedMax)
}

/** Forgets removed elements, and the oldest ones if there are still too many. */
function tidyNumbers(rememberedMax: number): void {
  if (numbered.size <= rememberedMax) return
  for (const [number, weak] of numbered) {
    if (!weak.deref()?.isConnected) numbered.delete(number)
  }
  for (const number of numbered.keys()) {
    if (numbered.size <= rememberedMax) break
    numbered.delete(number)
  }
}

export type Fate = 'here' | 'unknown' | 'removed' | 'navigated' | 'frame_gone'

/** What has become of the element with a number. */
export function fateOf(number: number): Fate {
  const weak = numbered.get(number)
  if (!weak) return 'unknown'
  const element = weak.deref()
  if (!element) return 'removed'
  if (!documentOf(element).defaultView) {
    const frame = frameElements.get(documentOf(element))?.deref()
    return frame?.isConnected ? 'navigated' : 'frame_gone'
  }
  return element.isConnected ? 'here' : 'removed'
}
