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
  readonly innerHeight: number
  readonly outerHeight: number
  readonly scale: number
}

interface Bounds {
  readonly left: number
  readonly top: number
  readonly height: number
  readonly windowState: string
}

const seen = '() => ({ innerHeight, outerHeight, scale: devicePixelRatio })'

/**
 * What a window draws above its page is what is left of its height. A page whose size a client
 * emulates does not know its window; it is drawn where any other is.
 */
export async function originOf(tab: Tab, cdp: CdpPipe): Promise<PageOrigin> {
  const [{ innerHeight, outerHeight, scale }, { bounds }] = await Promise.all([
    tab.evaluate<Seen>(seen),
    cdp.send<{ bounds: Bounds }>('Browser.getWindowForTarget', { targetId: tab.id }),
  ])
  const { left, top, height, windowState } = bounds
  if (outerHeight !== height) {
    return { left, top: top + (windowState === 'fullscreen' ? 0 : chromiumFramePx), scale: 1 }
  }
  return { left, top: top + Math.round(height - innerHeight * scale), scale }
}
