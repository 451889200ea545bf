/** Content that left its scroller can be scrolled back; it is not away as what is off the page is. */
import { styleOf } from '../../measure.ts'
import { elementAbove } from '../../targeting/hits.ts'

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
