/** Screenshots of a tab, whether or not its window is in front. */
import { ServiceError } from '../../../proto/errors.ts'
import { sentFunctions } from '../../../runtime/browser-host/page-functions.ts'
import type * as marksCode from '../../in-page/marks.ts'
import { inPage } from '../tabs/in-page.ts'
import type { Point } from '../../input/input-device.ts'
import type { Tab } from '../tabs/tab.ts'
import type { RefPlace } from '../snapshot/lines.ts'
import { nodeAgentLimits } from '../../limits.ts'
import { pageLimits } from '../limits.ts'
import type { ImageSize } from '../../png/encode.ts'
import { StitchedPng } from '../../png/stitched.ts'
import {
  asShown,
  planPicture,
  sizeOf,
  slicesOf,
  type PicturePlan,
  type WantedPicture,
} from './picture-plan.ts'

const { scrollThrough } = inPage
const { drawMarks } = sentFunctions<typeof marksCode>('marks')

export interface ScreenshotOptions extends WantedPicture {
  /** Scrolls through the page first, to load content that loads only in view. */
  readonly scrollThrough: boolean
  readonly quality?: number | undefined
  /** The elements whose refs are drawn into the picture. */
  readonly marks?: readonly RefPlace[] | undefined
  /** The size that the page gets while the picture is taken. */
  readonly viewport?: ImageSize | undefined
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
  /** The size that the picture would have, if it is cut off. */
  readonly cutFrom?: ImageSize | undefined
}

interface Taken {
  readonly image: Uint8Array
  /** The position of its top left in the tab. */
  readonly at: Point
  /** How much smaller it is than the page is on the screen. */
  readonly scale: number
  readonly cutFrom: ImageSize | undefined
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
  if (shot.scrollThrough) {
    const { scrollThroughScreens, firstFrameMs } = pageLimits
    const args = [scrollThroughScreens, firstFrameMs] as const
    await tab.evaluateWithin(pageLimits.screenshotMs, scrollThrough, ...args)
  }
  const plain =
    shot.box === undefined && !shot.fullPage && (shot.maxWidth ?? shot.maxHeight) === undefined
  const whole = plain ? asShown : await planPicture(tab, shot, deviceScale)
  const slices = slicesOf(whole, deviceScale)
  const { image, isWhole } =
    slices.length > 1
      ? await stitched(tab, slices, shot)
      : { image: Buffer.from(await capture(tab, whole, shot), 'base64'), isWhole: true }
  if (image.length > nodeAgentLimits.screenshotBytes) throw tooLargeError(image.length)
  const cutFrom = whole.cutFrom ?? (isWhole ? undefined : sizeOf(whole, deviceScale))
  return { image, at: whole.at, scale: whole.clip?.scale ?? 1, cutFrom }
}

/** A picture that is higher than what Chromium draws at once; its end is left out if it is too large. */
async function stitched(
  tab: Tab,
  slices: readonly PicturePlan[],
  shot: ScreenshotOptions,
): Promise<{ readonly image: Buffer; readonly isWhole: boolean }> {
  const whole = new StitchedPng()
  try {
    for (const [n, slice] of slices.entries()) {
      const marks = shot.marks && (n === 0 ? shot.marks : labelledOnce(shot.marks, slice.at.y))
      const picture = Buffer.from(await capture(tab, slice, { ...shot, marks }), 'base64')
      const expected = whole.bytes + picture.length * pageLimits.pictureGrowth
      const isTooLarge = expected > nodeAgentLimits.screenshotBytes
      if (n > 0 && isTooLarge) return { image: await whole.end(), isWhole: false }
      await whole.add(picture)
    }
    return { image: await whole.end(), isWhole: true }
  } finally {
    whole.discard()
  }
}

/** An element that begins in the slice before has its label there. */
const labelledOnce = (marks: readonly RefPlace[], top: number) =>
  marks.map((mark) => (mark.top < top ? { ...mark, ref: '' } : mark))

/** Returns base64. */
async function capture(
  tab: Tab,
  { clip, at, beyond }: PicturePlan,
  { format, quality, marks }: ScreenshotOptions,
): Promise<string> {
  const { data } = await tab.send(
    'Page.captureScreenshot',
    {
      // A picture to be drawn on is captured without loss and encoded once, afterwards.
      ...(marks ? { format: 'png' } : { format }),
      ...(!marks && format !== 'png' && quality !== undefined && { quality }),
      ...(clip && { clip, captureBeyondViewport: beyond }),
    },
    pageLimits.screenshotMs,
  )
  if (!marks) return data
  return withMarks(tab, data, { at, scale: clip?.scale ?? 1 }, { format, quality, marks })
}

/** Takes and returns base64. */
function withMarks(
  tab: Tab,
  png: string,
  { at, scale }: { readonly at: Point; readonly scale: number },
  {
    format,
    quality,
    marks,
  }: Pick<ScreenshotOptions, 'format' | 'quality'> & { readonly marks: readonly RefPlace[] },
): Promise<string> {
  const inPicture = marks.slice(0, pageLimits.marksDrawn).map(({ ref, left, top, ...size }) => ({
    ...{ label: ref, left: left - at.x, top: top - at.y },
    ...size,
  }))
  const picture = { png, type: `image/${format}`, quality, scale, marks: inPicture }
  return tab.evaluateWithin(pageLimits.screenshotMs, drawMarks, picture)
}

function tooLargeError(bytes: number): ServiceError {
  const message =
    `The picture has ${bytes} bytes; ${nodeAgentLimits.screenshotBytes} can be sent. ` +
    'Ask for a max_width, or for jpeg or webp.'
  return new ServiceError('too_large', message, { limit: nodeAgentLimits.screenshotBytes })
}
