/**
 * Which part of a page becomes the picture, and in which slices: Chromium draws nothing beyond the
 * texture of a GPU in one go.
 */
import { commandLimits } from '../../../proto/commands/limits.ts'
import type { Point } from '../../input/input-device.ts'
import type { ImageSize } from '../../png/encode.ts'
import { pageLimits } from '../limits.ts'
import type { Tab } from '../tabs/tab.ts'
import type { PageBox } from '../targeting/boxes.ts'

interface VisualViewport {
  readonly pageX: number
  readonly pageY: number
  readonly clientWidth: number
  readonly clientHeight: number
}

export interface WantedPicture {
  /** The part of the page to capture, which may be out of view. Absent: the visible part. */
  readonly box?: PageBox | undefined
  readonly fullPage: boolean
  readonly format: 'png' | 'jpeg' | 'webp'
  /** In pixels of the picture; a wider picture is scaled down. */
  readonly maxWidth?: number | undefined
  /** In pixels of the picture; a higher picture is cut off. */
  readonly maxHeight?: number | undefined
}

export interface PicturePlan {
  /** In CSS pixels from the top of the page, whatever it is scrolled to. Absent: the visible part. */
  readonly clip: (PageBox & { readonly scale: number }) | undefined
  /** The position of its top left in the tab. */
  readonly at: Point
  /** Whether it reaches beyond the visible part. */
  readonly beyond: boolean
  /** In pixels of the picture, if it shows less than was asked for. */
  readonly cutFrom: ImageSize | undefined
}

export const asShown: PicturePlan = {
  clip: undefined,
  at: { x: 0, y: 0 },
  beyond: false,
  cutFrom: undefined,
}

/** @param deviceScale Pixels of the screen per CSS pixel. */
export async function planPicture(
  tab: Tab,
  { box, fullPage, maxWidth, maxHeight, format }: WantedPicture,
  deviceScale: number,
): Promise<PicturePlan> {
  const { cssVisualViewport: seen, cssContentSize } = await tab.send('Page.getLayoutMetrics')
  const { pageX, pageY, clientWidth, clientHeight } = seen
  const whole = { ...cssContentSize, x: -pageX, y: -pageY }
  const view = { x: 0, y: 0, width: clientWidth, height: clientHeight }
  const shown = box ? onWholePixels(box, seen) : fullPage ? whole : view
  const scale =
    maxWidth === undefined ? 1 : Math.min(1, maxWidth / (Math.max(1, shown.width) * deviceScale))
  const ratio = scale * deviceScale
  const largest = largestPicture(format, shown.width * ratio)
  const width = Math.max(1, Math.min(shown.width, largest.width / ratio))
  const highest = Math.min(largest.height, maxHeight ?? Infinity)
  const height = Math.max(1, Math.min(shown.height, highest / ratio))
  const inView =
    shown.x >= 0 &&
    shown.y >= 0 &&
    shown.x + width <= clientWidth &&
    shown.y + height <= clientHeight
  const isCut = width < shown.width || height < shown.height
  return {
    clip: { x: pageX + shown.x, y: pageY + shown.y, width, height, scale },
    at: { x: shown.x, y: shown.y },
    beyond: !inView,
    cutFrom: isCut ? pixelsOf(shown, ratio) : undefined,
  }
}

const pixelsOf = ({ width, height }: ImageSize, ratio: number): ImageSize => ({
  width: Math.round(width * ratio),
  height: Math.round(height * ratio),
})

/** The size of a planned picture in pixels; undefined for the visible part, which is never cut off. */
export const sizeOf = ({ clip }: PicturePlan, deviceScale: number): ImageSize | undefined =>
  clip && pixelsOf(clip, clip.scale * deviceScale)

/** In pixels of the picture. Only a PNG can be put together from slices; see `png/stitched.ts`. */
function largestPicture(format: WantedPicture['format'], widthPx: number): ImageSize {
  const side = commandLimits.screenshotSidePx
  if (format === 'webp') return { width: side - 1, height: side - 1 }
  if (format === 'jpeg') return { width: side, height: side }
  const width = Math.max(1, Math.min(widthPx, side))
  const { pictureSlicePx, pictureSlices, picturePixels } = pageLimits
  const height = Math.floor(picturePixels / width)
  return { width: side, height: Math.min(height, pictureSlicePx * pictureSlices) }
}

/** In the order from top to bottom; of whole pixels of the page, so that nothing shows where they meet. */
export function slicesOf(plan: PicturePlan, deviceScale: number): readonly PicturePlan[] {
  const { clip, at } = plan
  if (!clip) return [plan]
  const ratio = clip.scale * deviceScale
  if (clip.height * ratio <= commandLimits.screenshotSidePx) return [plan]
  const sliceHeight = Math.floor(pageLimits.pictureSlicePx / ratio)
  return Array.from({ length: Math.ceil(clip.height / sliceHeight) }, (_, n) => {
    const down = n * sliceHeight
    const height = Math.min(sliceHeight, clip.height - down)
    return {
      ...plan,
      clip: { ...clip, y: clip.y + down, height },
      at: { x: at.x, y: at.y + down },
      beyond: true,
    }
  })
}

/**
 * Extends the box to whole page pixels: with fractions Chromium takes a blurred picture, whose last
 * column may be cut off.
 */
function onWholePixels(box: PageBox, { pageX, pageY }: VisualViewport): PageBox {
  const [left, top] = [Math.floor(pageX + box.x), Math.floor(pageY + box.y)]
  return {
    x: left - pageX,
    y: top - pageY,
    width: Math.ceil(pageX + box.x + box.width) - left,
    height: Math.ceil(pageY + box.y + box.height) - top,
  }
}
