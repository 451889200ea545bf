/**
 * Reads elements by the prototypes of the DOM. A form has its fields as members, under their names,
 * in place of its own: one called `matches` or `childNodes` would hide what is in the form, or make
 * a walk fail.
 */
import type { AnyElement } from './any-element.ts'

/** In px of its view. */
export const rectOf = (element: Element): DOMRect =>
  Element.prototype.getBoundingClientRect.call(element)

/** The boxes of its lines. */
export const lineBoxesOf = (element: Element): DOMRectList =>
  Element.prototype.getClientRects.call(element)

export const styleOf = (element: Element, pseudo?: string): CSSStyleDeclaration =>
  getComputedStyle(element, pseudo)

export const attributeOf = (element: Element, name: string): string | null =>
  Element.prototype.getAttribute.call(element, name)

export const hasAttribute = (element: Element, name: string): boolean =>
  Element.prototype.hasAttribute.call(element, name)

export const matches = (element: Element, selector: string): boolean =>
  Element.prototype.matches.call(element, selector)

export const closestTo = (element: Element, selector: string): AnyElement | null =>
  Element.prototype.closest.call(element, selector) as AnyElement | null

export const firstIn = (element: Element, selector: string): AnyElement | null =>
  Element.prototype.querySelector.call(element, selector) as AnyElement | null

export const allIn = (element: Element, selector: string): NodeListOf<AnyElement> =>
  Element.prototype.querySelectorAll.call(element, selector) as NodeListOf<AnyElement>

export const rootOf = (node: Node): Document | ShadowRoot =>
  Node.prototype.getRootNode.call(node) as Document | ShadowRoot

const memberOf = <Result>(prototype: object, member: string, of: Node): Result =>
  Reflect.get(prototype, member, of) as Result

export const documentOf = (node: Node): Document => memberOf(Node.prototype, 'ownerDocument', node)

export const nodesIn = (node: Node): NodeListOf<ChildNode> =>
  memberOf(Node.prototype, 'childNodes', node)

export const nodeTypeOf = (node: Node): number => memberOf(Node.prototype, 'nodeType', node)

/** If it is open. */
export const shadowRootOf = (element: Element): ShadowRoot | null =>
  memberOf(Element.prototype, 'shadowRoot', element)
