/** The page's position on the screen, and the number of screen pixels per page pixel. */
import type { CdpPipe } from '../cdp/cdp.ts'
import { chromiumFramePx } from '../display/screen.ts'
import { inPage } from './tabs/in-page.ts'
import type { Tab } from './tabs/tab.ts'

export interface PageOrigin {
  readonly left: number
  readonly top: number
  /** Greater than 1 if the page is zoomed. */
  readonly scale: number
}

const { innerSize } = inPage

/**
 * A page as wide as its window has the rest of the window's height above it. A page with an
 * emulated size does not reflect its window; it is drawn at the usual place.
 */
export async function pageOriginOf(tab: Tab, cdp: CdpPipe): Promise<PageOrigin> {
  const [inner, { bounds }] = await Promise.all([
    tab.evaluate(innerSize),
    cdp.send('Browser.getWindowForTarget', { targetId: tab.id }),
  ])
  const { scale } = inner
  const { left = 0, top = 0, width = 0, height = 0, windowState } = bounds
  const emulated = Math.abs(width - inner.width * scale) > scale
  const usual = windowState === 'fullscreen' ? 0 : chromiumFramePx
  const above = Math.round(height - inner.height * scale)
  // A zoomed page has whole pixels of its own, so the difference may be off by one of them.
  if (emulated || Math.abs(above - usual) <= scale) {
    return { left, top: top + usual, scale: emulated ? 1 : scale }
  }
  return { left, top: top + above, scale }
}
