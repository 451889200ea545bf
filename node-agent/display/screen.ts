/** How large a screen must be for a window that fills it to hold a page of the asked size. */
import type { ViewSize } from '../browser/page.ts'
import type { DesktopShape } from '../browser/shape.ts'

/** Tab strip and address bar of a window without decorations. */
export const chromiumFramePx = 87

export function screenFor({ viewport, fullscreen }: DesktopShape): ViewSize {
  const { width, height } = viewport
  return { width, height: fullscreen ? height : height + chromiumFramePx }
}
