/** The page's position on the screen, and the number of screen pixels per page pixel. */
import type { CdpPipe } from '../cdp/cdp.ts'
import { chromiumFramePx } from '../display/screen.ts'
import { inPage } from './tabs/in-page.ts'
import type { Tab } from './tabs/tab.ts'

export interface PageOrigin {
  readonly left: number
  readonly top: number
  /** Other than 1 if the page is zoomed, or the screen has more pixels than CSS. */
  readonly scale: number
}

const { innerSize } = inPage

/**
 * A page as wide as its window has the rest of the window's height above it. A page with an
 * emulated size does not reflect its window; it is drawn at the usual place. Windows are measured in
 * CSS pixels of a page that is not zoomed, of which `deviceScale` pixels of the screen make one.
 */
export async function pageOriginOf(
  tab: Tab,
  cdp: CdpPipe,
  deviceScale: number,
): Promise<PageOrigin> {
  const [inner, { bounds }] = await Promise.all([
    tab.evaluate(innerSize),
    cdp.send('Browser.getWindowForTarget', { targetId: tab.id }),
  ])
  const zoom = inner.scale / deviceScale
  const { left = 0, top = 0, width = 0, height = 0, windowState } = bounds
  const emulated = Math.abs(width - inner.width * zoom) > zoom
  const usual = windowState === 'fullscreen' ? 0 : chromiumFramePx
  const above = Math.round(height - inner.height * zoom)
  // A zoomed page has whole pixels of its own, so the difference may be off by one of them.
  const isUsual = emulated || Math.abs(above - usual) <= zoom
  return {
    left: left * deviceScale,
    top: (top + (isUsual ? usual : above)) * deviceScale,
    scale: emulated ? deviceScale : inner.scale,
  }
}
