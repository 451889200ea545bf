/** Scrolls the nearest container that can scroll. */
import { styleOf } from '../dom.ts'
import { nextFrames } from '../drawing.ts'
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

/** Scrolls through the page and back, so that content which loads only in view is loaded. */
export async function scrollThrough(screensMax: number, frameMs: number): Promise<void> {
  const { scrollX, scrollY } = window
  for (let screen = 0; screen < screensMax; screen++) {
    const before = window.scrollY
    window.scrollTo({ top: screen * innerHeight, behavior: 'instant' })
    await nextFrames(frameMs)
    if (screen > 0 && window.scrollY === before) break
  }
  window.scrollTo({ left: scrollX, top: scrollY, behavior: 'instant' })
}
