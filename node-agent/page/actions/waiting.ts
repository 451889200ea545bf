/**
 * Waits for a condition on the page. The condition is checked after changes (mutations,
 * navigations, answers) and also periodically, because styles and field values change without
 * events. Navigations are no problem, since each check starts from scratch.
 */
import { commandLimits } from '../../../proto/commands/limits.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { sleep } from '../../../runtime/lib/clock.ts'
import { inPage } from '../tabs/in-page.ts'
import type { ActionContext } from './acting.ts'
import { callIn, isElementGone } from '../targeting/element.ts'
import { InFlight } from '../network/in-flight.ts'
import { isPdfViewer } from '../snapshot/pdf-text.ts'
import { findElement } from '../targeting/targets.ts'
import { pageLimits } from '../limits.ts'

export interface WaitCondition {
  readonly selector?: string | undefined
  readonly text?: string | undefined
  readonly text_gone?: string | undefined
  readonly url?: string | undefined
  readonly network_idle?: boolean | undefined
}

const { currentUrl, hasLoaded, hasText, isVisible, nextMutation } = inPage

export async function waitForCondition(
  context: ActionContext,
  condition: WaitCondition,
  timeoutMs: number,
): Promise<void> {
  const { tab } = context
  const untilMs = tab.clock.monotonic() + timeoutMs
  const requests = condition.network_idle ? await InFlight.watch(tab) : undefined
  try {
    for (;;) {
      const changed = change(context, untilMs)
      const missing = await look(context, condition, requests).catch((error: unknown) => {
        if (isElementGone(error)) return 'the page, which is navigating'
        throw error
      })
      if (missing === undefined) return
      if (tab.clock.monotonic() >= untilMs) throw lateError(missing, timeoutMs)
      await changed
    }
  } finally {
    requests?.stop()
  }
}

/** The first condition that is not met yet, in words. */
async function look(
  context: ActionContext,
  condition: WaitCondition,
  requests: InFlight | undefined,
): Promise<string | undefined> {
  const { selector, text, text_gone, url } = condition
  const { tab } = context
  if (url !== undefined) {
    const here = await tab.evaluate(currentUrl)
    if (!here.includes(url)) return `the address ${url}; it is ${here}`
  }
  if (selector !== undefined && !(await isThere(context, selector))) return selector
  if (text !== undefined && !(await says(context, text))) return `the text ${JSON.stringify(text)}`
  if (text_gone !== undefined && (await says(context, text_gone))) {
    return `the text ${JSON.stringify(text_gone)} to go`
  }
  if (!requests) return undefined
  const quiet =
    requests.quietMs >= pageLimits.networkQuietMs && (await tab.evaluate(hasLoaded, true))
  return quiet ? undefined : 'the network to be quiet'
}

async function isThere(context: ActionContext, selector: string): Promise<boolean> {
  const found = await findElement(context, selector)
  if (!found) return false
  const seen = await found.element.call(isVisible)
  found.element.release()
  return seen
}

async function says({ tab, frames, view }: ActionContext, text: string): Promise<boolean> {
  const wanted = text.replace(/\s+/g, ' ').toLowerCase()
  const all = await frames.all()
  const said = all.map(async (frame) => {
    const world = await frames.worldOf(frame)
    return callIn(tab, frame, world, hasText, wanted)
  })
  // A frame that disappears meanwhile is ignored.
  const answers = await Promise.allSettled(said)
  const failed = answers.find(({ status }) => status === 'rejected') as
    PromiseRejectedResult | undefined
  if (answers.some((answer) => answer.status === 'fulfilled' && answer.value)) return true
  if (failed && !isElementGone(failed.reason)) throw failed.reason
  // The text of a PDF is in no document.
  const hasPdf = all.some(({ url = '' }) => isPdfViewer(url))
  return hasPdf && (await view.find(text, commandLimits.snapshotTokensMin)).text !== ''
}

/** Limits how often a busy page is checked. */
async function change({ tab, frames }: ActionContext, untilMs: number): Promise<void> {
  const leftMs = Math.max(0, Math.min(pageLimits.waitLookMs, untilMs - tab.clock.monotonic()))
  const pause = (ms: number) => sleep(tab.clock, ms)
  const inFrames = frames.all().then((all) =>
    Promise.race(
      all.map(async (frame) => {
        const world = await frames.worldOf(frame)
        await callIn(tab, frame, world, nextMutation, pageLimits.waitLookMs)
      }),
    ),
  )
  const off: (() => void)[] = []
  const pageChanged = new Promise<void>((resolve) => {
    const events = [
      'Page.frameNavigated',
      'Page.navigatedWithinDocument',
      'Page.loadEventFired',
    ] as const
    for (const event of events) off.push(tab.on(event, () => resolve()))
    off.push(tab.onInterrupt(() => resolve()))
  })
  try {
    // A page that cannot be observed is checked again after a while.
    const anything = Promise.race([inFrames.catch(() => pause(leftMs)), pageChanged, pause(leftMs)])
    await Promise.all([anything, pause(Math.min(leftMs, pageLimits.waitPauseMs))])
  } finally {
    for (const stop of off) stop()
  }
}

function lateError(missing: string, timeoutMs: number): ServiceError {
  const message = `Not within ${timeoutMs} ms: ${missing}. Take a snapshot to see how the page is.`
  return new ServiceError('timeout', message)
}
