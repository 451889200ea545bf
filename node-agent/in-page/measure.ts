/** What the walks ask most often; short, because each document gets all of it. */

/** Of an element or a range, in px of its view. */
export const boxOf = (of: Pick<Element, 'getBoundingClientRect'>): DOMRect =>
  of.getBoundingClientRect()

export const styleOf = (element: Element, pseudo?: string): CSSStyleDeclaration =>
  getComputedStyle(element, pseudo)
