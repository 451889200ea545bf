/**
 * The tree as it is rendered: shadow roots (closed ones too, once known), slots and frames of this
 * origin take the place of what they replace.
 */
import type { AnyElement } from '../any-element.ts'

/** What has been found out about the nodes of this document. */
export class KnownNodes {
  /** Closed roots by their hosts; only the debugger can find them. */
  static readonly closedRoots = new WeakMap<Element, ShadowRoot>()
  /** The height of a host when it was checked for a closed root and had none. */
  static readonly askedHeights = new WeakMap<Element, number>()
}

/** The numbers of elements, which stay the same as long as the document exists. */
export class ElementNumbers {
  static readonly numbers = new WeakMap<Element, number>()
  static readonly elements = new Map<number, WeakRef<Element>>()
  /** The frame element of each document, to explain stale refs. */
  static readonly frames = new WeakMap<Document, WeakRef<Element>>()
  static last = 0
}

/** Elements whose content is no text of the page. */
export const unread = new Set(
  'script style template noscript head link meta base desc metadata defs'.split(' '),
)
/** Elements that can have a shadow root. */
export const rootHosts = new Set(
  'article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span'.split(
    ' ',
  ),
)

export const isText = (node: Node): node is Text => node.nodeType === 3
export const isElement = (node: Node): node is AnyElement => node.nodeType === 1
export const isSlot = (node: Element): node is HTMLSlotElement => node.localName === 'slot'

export const treeOf = (element: Element) => element.getRootNode() as Document | ShadowRoot

export const shadowIn = (element: Element) =>
  element.shadowRoot ?? KnownNodes.closedRoots.get(element)

/** The document in a frame of this origin. */
export function documentIn(frame: Element): Document | null {
  try {
    return (frame as HTMLIFrameElement).contentDocument
  } catch {
    // A frame of another origin is read by the agent through its own session.
    return null
  }
}

export function childrenOf(element: Element): Iterable<Node> {
  if (isSlot(element)) {
    const assigned = element.assignedNodes()
    if (assigned.length > 0) return assigned
  }
  return (shadowIn(element) ?? element).childNodes
}

/**
 * An element may have a closed root if it is a custom element, or if it takes space although it is
 * empty. A host with children that are not rendered is recognised by its children.
 */
export function mayHideRoot(element: Element, rect: DOMRect): boolean {
  const name = element.localName
  const component = name.includes('-')
  if (!component && !(rootHosts.has(name) && rect.height > 0 && isEmpty(element))) return false
  return shadowIn(element) ? false : isToBeAsked(element, rect.height)
}

export function isEmpty({ firstChild }: Element): boolean {
  if (firstChild === null) return true
  const text = 'data' in firstChild ? String(firstChild.data) : undefined
  return firstChild.nextSibling === null && text?.trim() === ''
}

/** Checks again only if the height has changed. */
export function isToBeAsked(element: Element, height: number): boolean {
  const { askedHeights } = KnownNodes
  if (askedHeights.get(element) === height) return false
  askedHeights.set(element, height)
  return true
}

export function numberOf(element: Element): number {
  const { numbers, elements } = ElementNumbers
  const known = numbers.get(element)
  if (known !== undefined) return known
  const number = ++ElementNumbers.last
  numbers.set(element, number)
  elements.set(number, new WeakRef(element))
  return number
}

/** Called before each walk. Numbers continue after those of the tab's other documents. */
export function startNumbers(firstNumber: number, rememberedMax: number): void {
  ElementNumbers.last = Math.max(ElementNumbers.last, firstNumber)
  tidyNumbers(rememberedMax)
}

/** Forgets removed elements, and the oldest ones if there are still too many. */
export function tidyNumbers(rememberedMax: number): void {
  const { elements } = ElementNumbers
  if (elements.size <= rememberedMax) return
  for (const [number, weak] of elements) {
    if (!weak.deref()?.isConnected) elements.delete(number)
  }
  for (const number of elements.keys()) {
    if (elements.size <= rememberedMax) break
    elements.delete(number)
  }
}

export type Fate = 'here' | 'unknown' | 'removed' | 'navigated' | 'frame_gone'

/** What has become of the element with a number. */
export function fateOf(number: number): Fate {
  const weak = ElementNumbers.elements.get(number)
  if (!weak) return 'unknown'
  const element = weak.deref()
  if (!element) return 'removed'
  if (!element.ownerDocument.defaultView) {
    const frame = ElementNumbers.frames.get(element.ownerDocument)?.deref()
    return frame?.isConnected ? 'navigated' : 'frame_gone'
  }
  return element.isConnected ? 'here' : 'removed'
}
