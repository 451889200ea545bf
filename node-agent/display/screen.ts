/** How large a screen must be for a window that fills it to hold a page of the asked size. */

/** Tab strip and address bar of a window without decorations. */
export const chromiumFramePx = 87

export function screenFor({ viewport, fullscreen }: DesktopShape): ViewSize {
  const { width, height } = viewport
  return { width, height: fullscreen ? height : height + chromiumFramePx }
}

export interface ViewSize {
  readonly width: number
  readonly height: number
}

/** The display of a headful browser is made for this, since a screen cannot be resized later. */
export interface DesktopShape {
  readonly viewport: ViewSize
  readonly fullscreen: boolean
}
