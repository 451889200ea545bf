/** What elements listen for, as far as it has been found out. */
import { attributeOf, hasAttribute } from '../../dom.ts'
import { listenerKinds } from './kinds.ts'

/** The kinds of an element's own listeners, as reported by the debugger. */
export const ownListeners = new WeakMap<Element, number>()
/** Those that only frameworks know, as last told. */
let handled = new WeakMap<EventTarget, number>()
/** Elements that show others by style alone while the pointer is on them. */
export const hoverElements = new WeakSet<Element>()

/** Hears what `tellHandlers` tells in this window and the frames that are of its origin now. */
export function hearHandlers(eventName: string): void {
  const hearIn = (view: Window): void => {
    view.addEventListener(eventName, takeHandler, true)
    for (let at = 0; at < view.length; at++) {
      const inner = view[at]!
      if (isOfThisOrigin(inner)) hearIn(inner)
    }
  }
  hearIn(window)
}

function isOfThisOrigin(view: Window): boolean {
  try {
    return view.document !== null
  } catch {
    // Frames of other origins have readers of their own.
    return false
  }
}

/** Each telling begins with an event without kinds: frames may have come since the last one. */
function takeHandler(event: Event): void {
  const kinds = (event as UIEvent).detail
  if (kinds === 0) {
    handled = new WeakMap()
    return hearHandlers(event.type)
  }
  const [target] = event.composedPath()
  if (target) handled.set(target, kinds)
}

/** All that an element listens for; what it listens for on behalf of others is not counted. */
export function listenerKindsOf(element: Element): number {
  const known = handled.get(element) ?? 0
  let kinds = known & ~listenerKinds.delegates
  if (!(known & listenerKinds.delegates)) kinds |= ownListeners.get(element) ?? 0
  if (hasAttribute(element, 'onclick')) kinds |= listenerKinds.click
  if (attributeOf(element, 'draggable') === 'true') kinds |= listenerKinds.drag
  if (hoverElements.has(element)) kinds |= listenerKinds.hover
  return kinds
}

/**
 * Kinds without those that a line need not tell. On elements that can be clicked or dragged, a hover
 * listener mostly shows a tooltip or changes the style; only a menu that appears by style is certain.
 */
export function kindsTold(element: Element, kinds: number, clicks: boolean): number {
  const isOnlyHover = !clicks && kinds === listenerKinds.hover
  const tellsHover = isOnlyHover || hoverElements.has(element)
  return tellsHover ? kinds : kinds & ~listenerKinds.hover
}

/** What a pointer's shape announces, unless the element around has the same. */
export function kindOfCursor(cursor: string, around: string | undefined): number {
  if (cursor === around) return 0
  if (/^(grab|grabbing|move|all-scroll)$/.test(cursor)) return listenerKinds.drag
  return cursor.endsWith('-resize') ? listenerKinds.resize : 0
}
