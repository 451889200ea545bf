/** Scrolls the nearest container that can scroll. */
import { styleOf } from '../measure.ts'
import { elementAbove } from '../targeting/hits.ts'

const topScroller = () => document.scrollingElement ?? document.documentElement

function canScroll(element: Element): boolean {
  if (element.scrollHeight <= element.clientHeight + 1) return false
  return element === topScroller() || /auto|scroll/.test(styleOf(element).overflowY)
}

function scrollNear(from: Element | null, pages: number): void {
  let scroller = from
  while (scroller && !canScroll(scroller)) scroller = elementAbove(scroller)
  scroller ??= topScroller()
  const height = scroller === topScroller() ? innerHeight : scroller.clientHeight
  scroller.scrollBy({ top: pages * height, behavior: 'instant' })
}

export function scrollElement(this: Element, pages: number): void {
  if (pages !== 0) scrollNear(this, pages)
  else this.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' })
}

/** If the page itself does not scroll, the container in its middle does. */
export function scrollMiddle(pages: number): void {
  const top = topScroller()
  const middle = document.elementFromPoint(innerWidth / 2, innerHeight / 2)
  scrollNear(top.scrollHeight > innerHeight + 1 ? top : middle, pages)
}
