/** Screenshots of a tab, whether or not its window is in front. */
import { ServiceError } from '../../proto/errors.ts'
import { sentFunctions } from '../../runtime/browser-host/page-functions.ts'
import type * as marksCode from '../in-page/marks.ts'
import { inPage } from './tabs/in-page.ts'
import type { Point } from '../input/input-device.ts'
import type { Tab } from './tabs/tab.ts'
import type { RefPlace } from './snapshot/lines.ts'
import { nodeAgentLimits } from '../limits.ts'
import { pageLimits } from './limits.ts'
import { commandLimits } from '../../proto/commands/limits.ts'

const { scrollThrough } = inPage
const { drawMarks } = sentFunctions<typeof marksCode>('marks')

/** CSS pixels, relative to the top left of the visible part of the page. */
export interface PageBox extends Point {
  readonly width: number
  readonly height: number
}

export interface ScreenshotOptions {
  /** The part of the page to capture, which may be out of view. Absent: the visible part. */
  readonly box?: PageBox | undefined
  readonly fullPage: boolean
  /** Scrolls through the page first, to load content that loads only in view. */
  readonly scrollThrough: boolean
  readonly format: 'png' | 'jpeg' | 'webp'
  readonly quality?: number | undefined
  /** In pixels of the picture; a wider picture is scaled down. */
  readonly maxWidth?: number | undefined
  /** In pixels of the picture; a higher picture is cut off. */
  readonly maxHeight?: number | undefined
  /** The elements whose refs are drawn into the picture. */
  readonly marks?: readonly RefPlace[] | undefined
  /** The size that the page gets while the picture is taken. */
  readonly viewport?: { readonly width: number; readonly height: number } | undefined
}

export const defaultScreenshot: ScreenshotOptions = {
  fullPage: false,
  scrollThrough: false,
  format: 'png',
}

export interface ScreenshotResult {
  readonly image: Uint8Array
  readonly type: string
  /** The position of its top left, in the coordinates of input. */
  readonly left: number
  readonly top: number
  /** Pixels of the picture per pixel of input. */
  readonly scale: number
}

interface Metrics {
  readonly cssVisualViewport: {
    readonly pageX: number
    readonly pageY: number
    readonly clientWidth: number
    readonly clientHeight: number
  }
  readonly cssContentSize: { readonly width: number; readonly height: number }
}

interface Taken {
  readonly image: Uint8Array
  /** The position of its top left in the tab. */
  readonly at: Point
  /** How much smaller it is than the page is on the screen. */
  readonly scale: number
}

export async function screenshotOf(
  tab: Tab,
  shot: ScreenshotOptions,
  deviceScale: number,
): Promise<Taken> {
  if (!shot.viewport) return take(tab, shot, deviceScale)
  const size = { ...shot.viewport, deviceScaleFactor: 0, mobile: false }
  await tab.send('Emulation.setDeviceMetricsOverride', size)
  try {
    return await take(tab, shot, deviceScale)
  } finally {
    await tab.call('Emulation.clearDeviceMetricsOverride')
  }
}

async function take(tab: Tab, shot: ScreenshotOptions, deviceScale: number): Promise<Taken> {
  const { format, quality, maxWidth, maxHeight, fullPage, box, marks } = shot
  if (shot.scrollThrough) {
    const { scrollThroughScreens, firstFrameMs } = pageLimits
    const args = [scrollThroughScreens, firstFrameMs] as const
    await tab.evaluateWithin(pageLimits.screenshotMs, scrollThrough, ...args)
  }
  const plain = box === undefined && !fullPage && (maxWidth ?? maxHeight) === undefined
  const frame = plain ? undefined : await frameOf(tab, shot, deviceScale)
  const { data } = await tab.send(
    'Page.captureScreenshot',
    {
      // A picture to be drawn on is captured without loss and encoded once, afterwards.
      ...(marks ? { format: 'png' } : { format }),
      ...(!marks && format !== 'png' && quality !== undefined && { quality }),
      ...(frame && { clip: frame.clip, captureBeyondViewport: frame.beyond }),
    },
    pageLimits.screenshotMs,
  )
  const at = frame?.at ?? { x: 0, y: 0 }
  const scale = frame?.clip.scale ?? 1
  const drawn = marks ? await withMarks(tab, data, { at, scale }, { ...shot, marks }) : data
  const image = Buffer.from(drawn, 'base64')
  if (image.length > nodeAgentLimits.screenshotBytes) throw tooLargeError(image.length)
  return { image, at, scale }
}

/** Takes and returns base64. */
function withMarks(
  tab: Tab,
  png: string,
  { at, scale }: Omit<Taken, 'image'>,
  { format, quality, marks }: ScreenshotOptions & { readonly marks: readonly RefPlace[] },
): Promise<string> {
  const inPicture = marks.slice(0, pageLimits.marksDrawn).map(({ ref, left, top, ...size }) => ({
    ...{ label: ref, left: left - at.x, top: top - at.y },
    ...size,
  }))
  const picture = { png, type: `image/${format}`, quality, scale, marks: inPicture }
  return tab.evaluateWithin(pageLimits.screenshotMs, drawMarks, picture)
}

/** Chromium's clip is relative to the top of the page, independent of scrolling. */
async function frameOf(tab: Tab, shot: ScreenshotOptions, deviceScale: number) {
  const { box, fullPage, maxWidth, maxHeight } = shot
  const { cssVisualViewport: seen, cssContentSize } = await tab.send('Page.getLayoutMetrics')
  const { pageX, pageY, clientWidth, clientHeight } = seen
  const whole = { ...cssContentSize, x: -pageX, y: -pageY }
  const view = { x: 0, y: 0, width: clientWidth, height: clientHeight }
  const shown = box ? onWholePixels(box, seen) : fullPage ? whole : view
  const sidePx = commandLimits.screenshotSidePx / deviceScale
  const width = Math.max(1, Math.min(shown.width, sidePx))
  const scale = maxWidth === undefined ? 1 : Math.min(1, maxWidth / (width * deviceScale))
  const heightPx = Math.min(sidePx, (maxHeight ?? Infinity) / (scale * deviceScale))
  const height = Math.max(1, Math.min(shown.height, heightPx))
  const inView =
    shown.x >= 0 &&
    shown.y >= 0 &&
    shown.x + width <= clientWidth &&
    shown.y + height <= clientHeight
  return {
    clip: { x: pageX + shown.x, y: pageY + shown.y, width, height, scale },
    at: { x: shown.x, y: shown.y },
    beyond: !inView,
  }
}

/**
 * Extends the box to whole page pixels: with fractions Chromium takes a blurred picture, whose last
 * column may be cut off.
 */
function onWholePixels(box: PageBox, { pageX, pageY }: Metrics['cssVisualViewport']): PageBox {
  const [left, top] = [Math.floor(pageX + box.x), Math.floor(pageY + box.y)]
  return {
    x: left - pageX,
    y: top - pageY,
    width: Math.ceil(pageX + box.x + box.width) - left,
    height: Math.ceil(pageY + box.y + box.height) - top,
  }
}

function tooLargeError(bytes: number): ServiceError {
  const message =
    `The picture has ${bytes} bytes; ${nodeAgentLimits.screenshotBytes} can be sent. ` +
    'Ask for a max_width, or for jpeg or webp.'
  return new ServiceError('too_large', message, { limit: nodeAgentLimits.screenshotBytes })
}
