/**
 * Where content is, of what can be seen. What left its scroller can be scrolled back, so it is not
 * away as what is off the page is.
 */
import { attributeOf, shadowRootOf, styleOf } from '../dom.ts'
import { elementAbove } from '../targeting/hits.ts'
import { snapshotFlags, type WalkContext } from './lines.ts'
import { clipOf, isBefore, isClippedAway, isOffPage, isVeiled, meets } from './visible.ts'

/** How far content can reach beyond an edge and still be scrolled to. */
export interface ScrollReach {
  readonly x: number
  readonly y: number
}

/** The sum for all scrollers around an element, in one walk. */
let reaches = new WeakMap<Element, ScrollReach>()

export function forgetReaches(): void {
  reaches = new WeakMap()
}

const noReach: ScrollReach = { x: 0, y: 0 }

/** Beyond the left and the top edge of all scrollers around the element, added up. */
export function reachAround(element: Element): ScrollReach {
  const above = elementAbove(element)
  if (!above) return noReach
  const known = reaches.get(above)
  if (known) return known
  const [own, outer] = [reachOf(above), reachAround(above)]
  const reach = { x: own.x + outer.x, y: own.y + outer.y }
  reaches.set(above, reach)
  return reach
}

/** Lists that grow upwards, as chats do, and right-to-left ones begin at their other edge. */
function reachOf(scroller: Element): ScrollReach {
  const { localName, ownerDocument } = scroller
  const isPage =
    localName === 'html' || (localName === 'body' && ownerDocument.compatMode !== 'CSS1Compat')
  const tall = scroller.scrollHeight - scroller.clientHeight
  const wide = scroller.scrollWidth - scroller.clientWidth
  if (isPage || (tall <= 0 && wide <= 0)) return noReach
  const style = styleOf(scroller)
  const { scrollLeft, scrollTop } = scroller
  if (!/auto|scroll/.test(style.overflowX + style.overflowY)) return { x: scrollLeft, y: scrollTop }
  const flex = style.display.endsWith('flex') ? style.flexDirection : ''
  const leftwards = (style.direction === 'rtl') !== (flex === 'row-reverse')
  return {
    x: scrollLeft + (leftwards ? wide : 0),
    y: scrollTop + (flex === 'column-reverse' ? tall : 0),
  }
}

/**
 * Sets the flags of an element's place, what the scrollers around its content leave of it, and
 * whether a person can see it.
 */
export function setPlace(
  context: WalkContext,
  node: Element,
  rect: DOMRect,
  style: CSSStyleDeclaration,
  display: string,
): void {
  // What is fixed does not scroll with what is around it.
  if (context.clip && style.position === 'fixed') context.clip = undefined
  const seen = context.clip ?? context.view
  if (rect.width > 0 || rect.height > 0) {
    const isIn = meets(rect, seen) && !context.away
    context.at = isIn ? snapshotFlags.inView : isBefore(rect, seen) ? snapshotFlags.above : 0
  } else context.at ??= 0
  const mayScroll = display !== 'inline' && (node.firstElementChild ?? shadowRootOf(node)) !== null
  if (mayScroll) context.clip = clipOf(style, rect, seen) ?? context.clip
  const away = isOffPage(node, rect, context.view, style) || isClippedAway(style, rect)
  context.hidden = style.visibility !== 'visible'
  context.gone = context.gone === true || away
  context.mute ||= away || attributeOf(node, 'aria-hidden') === 'true' || isVeiled(style, display)
}
