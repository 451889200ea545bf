/** Elements that listen for what is in them, whose parts are things of their own. */
import type { AnyElement } from '../../any-element.ts'
import { styleOf } from '../../measure.ts'
import { listenerKinds } from './kinds.ts'
import { kindOfCursor, listenerKindsOf } from './known-listeners.ts'

/** A longer name would be cut; what an element says is then written below it. */
const nameCharsMax = 160
/** Elements of a supposed delegate that are looked at. */
const partsLookedAt = 80

export const actable =
  'a[href], button, input, select, textarea, [onclick], [role=button], [role=link]'
const isRendered = (element: Element) => element.checkVisibility({ checkOpacity: true })

/** True if its name would be very long, or would be made of parts that can be acted on. */
export function isLarge(element: Element): boolean {
  const text = element.textContent ?? ''
  if (text.length > nameCharsMax && lengthShown(element) > nameCharsMax) return true
  const acting = element.querySelectorAll(actable)
  if (acting.length <= 2) return false
  return acting.length > partsLookedAt || [...acting].filter(isRendered).length > 2
}

/** The characters of its text that are displayed, up to what fits into a name and some more. */
function lengthShown(element: Element): number {
  let length = 0
  const count = (around: Element): void => {
    for (const child of around.childNodes) {
      if (length > nameCharsMax) return
      if (child.nodeType === 3) length += (child as Text).data.replace(/\s+/g, ' ').trim().length
      else if (child.nodeType === 1 && isRendered(child as Element)) count(child as Element)
    }
  }
  count(element)
  return length
}

/**
 * True for an element that listens, but does not look as if it could be clicked as a whole, and has
 * parts that do, or several blocks of text.
 */
export function isDelegate(element: AnyElement, style: CSSStyleDeclaration): boolean {
  if (style.cursor === 'pointer' || element.firstElementChild === null) return false
  let blocks = 0
  const parts = element.querySelectorAll('*')
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
    (child) => child.nodeType === 3 && (child as Text).data.trim() !== '',
  )
