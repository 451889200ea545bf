/**
 * The agent's own operations on a browser's pages: measuring, sizing, and opening the initial URL.
 */
import type { PageInfo } from '../../proto/browser-host/node.ts'
import { pollUntil } from '../../runtime/lib/poll-until.ts'
import { scriptOf, sentFunctions } from '../../runtime/browser-host/page-functions.ts'
import type { CdpPipe } from '../cdp/cdp.ts'
import type { ViewSize, DesktopShape } from '../display/screen.ts'
import type * as documentCode from '../in-page/document-state.ts'
import { nodeAgentLimits } from '../limits.ts'
import { chromiumLimits } from './limits.ts'

const sizeScript = scriptOf(sentFunctions<typeof documentCode>('document-state').innerSize)

export async function listPages(cdp: CdpPipe): Promise<PageInfo[]> {
  const { targetInfos } = await cdp.send('Target.getTargets')
  return targetInfos
    .filter(({ type }) => type === 'page')
    .map(({ targetId, title, url }) => ({ id: targetId, title, url }))
}

/** Waits for the first page, which appears a moment after the browser answers. */
export async function firstPage(cdp: CdpPipe): Promise<string> {
  const times = { everyMs: chromiumLimits.windowFitPollMs, withinMs: nodeAgentLimits.cdpCallMs }
  const page = await pollUntil(cdp.clock, times, async () => (await listPages(cdp))[0])
  if (!page) throw new Error('the browser opened no page')
  return page.id
}

/**
 * The first page of Chromium leaves the keyboard focus in the address bar for good, so text typed
 * after a navigation would go there. A page opened later gets the focus itself.
 */
export async function pageWithKeyboard(cdp: CdpPipe): Promise<string> {
  const first = await firstPage(cdp)
  const { targetId } = await cdp.send('Target.createTarget', {
    url: 'about:blank',
  })
  await cdp.send('Target.closeTarget', { targetId: first })
  return targetId
}

/**
 * An upper bound for the height of a window's frame, which the screen must hold in addition to the
 * page.
 */
const windowFramePx = 120
const screenSize: ViewSize = { width: 1920, height: 1200 }

/**
 * Sets the page's size through its window, so that later tabs and windows have it too, in every
 * client. Emulation would apply to one client's session only.
 */
export async function fitWindow(
  cdp: CdpPipe,
  pageId: string,
  size: ViewSize,
  fullscreen: boolean,
): Promise<void> {
  const { windowId } = await cdp.send('Browser.getWindowForTarget', {
    targetId: pageId,
  })
  const framed = { width: size.width, height: size.height + windowFramePx }
  if (fullscreen) await setScreen(cdp, size)
  else if (framed.width > screenSize.width || framed.height > screenSize.height) {
    await setScreen(cdp, framed)
  }
  await withPage(cdp, pageId, (sessionId) =>
    untilPageHas(cdp, size, async () => {
      if (fullscreen) {
        await cdp.send('Browser.setWindowBounds', {
          windowId,
          bounds: { windowState: 'fullscreen' },
        })
      } else await cdp.send('Browser.setContentsSize', { windowId, ...size })
      return isAsLarge(await viewportOf(cdp, sessionId), size)
    }),
  )
}

/**
 * Waits until the page has its size in a window that fills the screen. The screen is made for the
 * frame of today's Chromium; if another version draws a different frame, the window is resized
 * instead.
 */
export async function fillScreen(
  cdp: CdpPipe,
  pageId: string,
  { viewport: size, fullscreen }: DesktopShape,
): Promise<void> {
  const { windowId } = await cdp.send('Browser.getWindowForTarget', {
    targetId: pageId,
  })
  const setBounds = (bounds: object) => cdp.send('Browser.setWindowBounds', { windowId, bounds })
  const { clock } = cdp
  const giveUpAtMs = clock.monotonic() + chromiumLimits.windowMaximizeMs
  await withPage(cdp, pageId, (sessionId) =>
    untilPageHas(cdp, size, async () => {
      const got = await viewportOf(cdp, sessionId)
      if (isAsLarge(got, size)) return true
      if (fullscreen) await setBounds({ windowState: 'fullscreen' })
      else if (clock.monotonic() > giveUpAtMs) {
        await setBounds({ windowState: 'normal' })
        await cdp.send('Browser.setContentsSize', { windowId, ...size })
      }
      return false
    }),
  )
}

/** Resolves when the navigation has committed or failed, or after a time limit. */
export async function navigatePage(cdp: CdpPipe, pageId: string, url: string): Promise<void> {
  await withPage(cdp, pageId, (sessionId) =>
    cdp.send(
      'Page.navigate',
      { url },
      { sessionId, timeoutMs: chromiumLimits.initialNavigationMs },
    ),
  )
}

async function setScreen(cdp: CdpPipe, size: ViewSize): Promise<void> {
  const { screenInfos } = await cdp.send('Emulation.getScreenInfos')
  await cdp.send('Emulation.updateScreen', { screenId: screenInfos[0]!.id, ...size })
}

interface MeasuredSize extends ViewSize {
  /** Pixels of the screen in a CSS pixel. */
  readonly scale: number
}

/** Where CSS pixels are no whole pixels of the screen, Chromium rounds the sizes of windows. */
function isAsLarge({ width, height, scale }: MeasuredSize, wanted: ViewSize): boolean {
  const tolerance = Number.isInteger(scale) ? 0 : 2
  const off = Math.max(Math.abs(width - wanted.width), Math.abs(height - wanted.height))
  return off <= tolerance
}

async function viewportOf(cdp: CdpPipe, sessionId: string): Promise<MeasuredSize> {
  const { result } = await cdp.send(
    'Runtime.evaluate',
    { expression: sizeScript, returnByValue: true },
    { sessionId },
  )
  return result.value
}

export async function withPage<T>(
  cdp: CdpPipe,
  targetId: string,
  use: (sessionId: string) => Promise<T>,
): Promise<T> {
  const { sessionId } = await cdp.send('Target.attachToTarget', {
    targetId,
    flatten: true,
  })
  try {
    return await use(sessionId)
  } finally {
    await cdp.send('Target.detachFromTarget', { sessionId })
  }
}

async function untilPageHas(
  { clock }: CdpPipe,
  { width, height }: ViewSize,
  hasSize: () => Promise<boolean>,
): Promise<void> {
  const times = { everyMs: chromiumLimits.windowFitPollMs, withinMs: chromiumLimits.windowFitMs }
  if (await pollUntil(clock, times, hasSize)) return
  throw new Error(`the browser did not come to a viewport of ${width}x${height}`)
}
