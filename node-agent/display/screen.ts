/**
 * Computes how large a screen must be for a full-screen window to hold a page of the requested
 * size.
 */

/** The height of tab strip and address bar of a window without decorations. */
export const chromiumFramePx = 87

export function screenFor({ viewport, fullscreen }: DesktopShape): ViewSize {
  const { width, height } = viewport
  return { width, height: fullscreen ? height : height + chromiumFramePx }
}

export interface ViewSize {
  readonly width: number
  readonly height: number
}

/**
 * The display of a headful browser is created for this shape, since a screen cannot be resized
 * later.
 */
export interface DesktopShape {
  readonly viewport: ViewSize
  readonly fullscreen: boolean
}
