/** Where on the screen a page begins, and how many of the screen's pixels one of its own takes. */
import type { CdpPipe } from '../browser/cdp.ts'
import { chromiumFramePx } from '../display/screen.ts'
import type { Tab } from './tab.ts'

export interface PageOrigin {
  readonly left: number
  readonly top: number
  /** More than 1 where the page is zoomed. */
  readonly scale: number
}

interface Seen {
  readonly innerWidth: number
  readonly innerHeight: number
  readonly scale: number
}

const seen = '() => ({ innerWidth, innerHeight, scale: devicePixelRatio })'

/**
 * A page as wide as its window has what is left of the window's height. One whose size a client
 * emulates knows nothing of its window; it is drawn where any other is.
 */
export async function originOf(tab: Tab, cdp: CdpPipe): Promise<PageOrigin> {
  const [{ innerWidth, innerHeight, scale }, { bounds }] = await Promise.all([
    tab.evaluate<Seen>(seen),
    cdp.send('Browser.getWindowForTarget', { targetId: tab.id }),
  ])
  const { left = 0, top = 0, width = 0, height = 0, windowState } = bounds
  const emulated = Math.abs(width - innerWidth * scale) > scale
  const usual = windowState === 'fullscreen' ? 0 : chromiumFramePx
  const above = Math.round(height - innerHeight * scale)
  // A zoomed page counts whole pixels of its own, which leaves a rest.
  if (emulated || Math.abs(above - usual) <= scale) {
    return { left, top: top + usual, scale: emulated ? 1 : scale }
  }
  return { left, top: top + above, scale }
}
