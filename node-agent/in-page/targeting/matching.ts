/** Finds the elements of a document that match a selector. */
import { documentOf, shadowRootOf } from '../dom.ts'
import { isSeen } from './boxes.ts'

/** All matches, including those in open shadow roots. */
function matchesIn(root: Document | ShadowRoot, selector: string): readonly Element[] {
  const found = [...root.querySelectorAll(selector)]
  for (const element of root.querySelectorAll('*')) {
    const shadow = shadowRootOf(element)
    if (shadow) found.push(...matchesIn(shadow, selector))
  }
  return found
}

/** All matches in this frame. Throws for invalid CSS. */
export const allMatches = (selector: string): readonly Element[] => matchesIn(document, selector)

/** The number of matches in this frame; -1 for invalid CSS. */
export function countMatches(selector: string): number {
  try {
    return matchesIn(document, selector).length
  } catch {
    return -1
  }
}

/** The first visible match, otherwise the first one; undefined for invalid CSS. */
export function firstMatch(selector: string): Element | undefined {
  try {
    const found = matchesIn(document, selector)
    return found.find(isSeen) ?? found[0]
  } catch {
    return undefined
  }
}

export function matchAt(selector: string, index: number): Element | undefined {
  try {
    return matchesIn(document, selector)[index]
  } catch {
    return undefined
  }
}

export function isOfThisFrame(this: Element): boolean {
  return documentOf(this) === document
}

export function isVisible(this: Element): boolean {
  return this.isConnected && isSeen(this)
}
