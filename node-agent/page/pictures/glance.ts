/**
 * A small picture of a page for lists of sessions. It is the first frame of a screencast, which
 * Chromium scales itself: a screenshot of another size would resize the page for a moment. No CDP
 * domain is enabled, so dialogs, clients and the page are not affected.
 */
import type { CdpPipe } from '../../cdp/cdp.ts'
import { pageLimits } from '../limits.ts'

/** What a picture is scaled down to, and how long it may take. */
export interface GlanceSize {
  readonly widthPx: number
  readonly heightPx: number
  readonly withinMs: number
}

const small: GlanceSize = {
  widthPx: pageLimits.glanceWidthPx,
  heightPx: pageLimits.glanceHeightPx,
  withinMs: pageLimits.glanceMs,
}

/** A JPEG; undefined for a page that currently draws no frames, for example one that hangs. */
export async function glanceAt(
  cdp: CdpPipe,
  targetId: string,
  { widthPx, heightPx, withinMs }: GlanceSize = small,
): Promise<Uint8Array | undefined> {
  const options = { timeoutMs: withinMs }
  const { sessionId } = await cdp.send(
    'Target.attachToTarget',
    { targetId, flatten: true },
    options,
  )
  const frame = firstFrame(cdp, sessionId, withinMs)
  try {
    const { glanceQuality: quality } = pageLimits
    const scaled = { format: 'jpeg', quality, maxWidth: widthPx, maxHeight: heightPx } as const
    await cdp.send('Page.startScreencast', scaled, { ...options, sessionId })
    const data = await frame.drawn
    return data === undefined ? undefined : Buffer.from(data, 'base64')
  } finally {
    frame.stop()
    // If the page is gone, its session was already detached.
    await cdp.send('Target.detachFromTarget', { sessionId }, options).catch(() => undefined)
  }
}

function firstFrame(cdp: CdpPipe, sessionId: string, withinMs: number) {
  let stop = () => {}
  const drawn = new Promise<string | undefined>((resolve) => {
    const late = cdp.clock.timer(withinMs, () => resolve(undefined))
    const off = cdp.onEvent((event) => {
      if (event.method === 'Page.screencastFrame') resolve(event.params.data)
    }, sessionId)
    stop = () => {
      late.cancel()
      off()
    }
  })
  return { drawn, stop: () => stop() }
}
