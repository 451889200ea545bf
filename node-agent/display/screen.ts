/**
 * Computes how large a screen must be for a full-screen window to hold a page of the requested
 * size.
 */

/** The height of tab strip and address bar of a window without decorations. */
export const chromiumFramePx = 87

/** In pixels of the screen. */
export function screenFor(shape: DesktopShape): ViewSize {
  const { scale = 1 } = shape
  const { width, height } = windowFor(shape)
  return { width: Math.round(width * scale), height: Math.round(height * scale) }
}

/** In CSS pixels. */
export function windowFor({ viewport, fullscreen }: DesktopShape): ViewSize {
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
  /** Pixels of the screen in a CSS pixel; default 1. */
  readonly scale?: number
}
