/**
 * Waiting for what a page will have. It is looked at when it says that it has changed: a mutation, a
 * navigation, an answer from the network; and now and then all the same, for styles and fields
 * change without a word. Through navigations, since every look starts anew.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { ServiceError } from '../../../proto/errors.ts'
import { limits } from '../../../proto/limits.ts'
import type { Stage } from './acting.ts'
import { callIn, isGone } from './element.ts'
import { isVisible } from './in-page.ts'
import { InFlight } from './in-flight.ts'
import { find } from './targets.ts'

export interface Wish {
  readonly selector?: string | undefined
  readonly text?: string | undefined
  readonly text_gone?: string | undefined
  readonly url?: string | undefined
  readonly network_idle?: boolean | undefined
}

/** Of open shadow roots too; a text over several elements is one. */
const hasText = `(wanted) => {
  const plain = (text) => text.replace(/\\s+/g, ' ').toLowerCase()
  const has = (root) => {
    const elements = root === document ? [document.body ?? document.documentElement] : root.children
    if ([...elements].some((element) => plain(element?.innerText ?? '').includes(wanted))) return true
    return [...root.querySelectorAll('*')].some((e) => e.shadowRoot && has(e.shadowRoot))
  }
  return has(document)
}`

/** Over at the next change of the document, or when there has been none for long. */
const nextChange = `() => new Promise((resolve) => {
  const done = () => { observer.disconnect(); resolve() }
  const observer = new MutationObserver(done)
  observer.observe(document, {
    subtree: true, childList: true, attributes: true, characterData: true,
  })
  setTimeout(done, ${limits.waitLookMs})
})`

const isLoaded = '() => document.readyState === "complete"'

export async function waitFor(stage: Stage, wish: Wish, timeoutMs: number): Promise<void> {
  const { tab } = stage
  const untilMs = performance.now() + timeoutMs
  const requests = wish.network_idle ? await InFlight.watch(tab) : undefined
  try {
    for (;;) {
      const changed = change(stage, untilMs)
      const missing = await look(stage, wish, requests).catch((error: unknown) => {
        if (isGone(error)) return 'the page, which is on its way elsewhere'
        throw error
      })
      if (missing === undefined) return
      if (performance.now() >= untilMs) throw late(missing, timeoutMs)
      await changed
    }
  } finally {
    requests?.stop()
  }
}

/** The first thing that is still missing, as one would say it. */
async function look(
  stage: Stage,
  wish: Wish,
  requests: InFlight | undefined,
): Promise<string | undefined> {
  const { selector, text, text_gone, url } = wish
  const { tab } = stage
  if (url !== undefined) {
    const here = await tab.evaluate<string>('() => location.href')
    if (!here.includes(url)) return `the address ${url}; it is ${here}`
  }
  if (selector !== undefined && !(await isThere(stage, selector))) return selector
  if (text !== undefined && !(await says(stage, text))) return `the text ${JSON.stringify(text)}`
  if (text_gone !== undefined && (await says(stage, text_gone))) {
    return `the text ${JSON.stringify(text_gone)} to go`
  }
  if (!requests) return undefined
  const quiet = requests.quietMs >= limits.networkQuietMs && (await tab.evaluate<boolean>(isLoaded))
  return quiet ? undefined : 'the network to be quiet'
}

async function isThere(stage: Stage, selector: string): Promise<boolean> {
  const found = await find(stage, selector)
  if (!found) return false
  const seen = await found.element.call<boolean>(isVisible)
  found.element.release()
  return seen
}

async function says({ tab, frames }: Stage, text: string): Promise<boolean> {
  const wanted = text.replace(/\s+/g, ' ').toLowerCase()
  const said = (await frames.all()).map(async (frame) => {
    const world = await frames.worldOf(frame)
    return callIn<boolean>(tab, frame, world, hasText, [wanted])
  })
  // A frame that goes meanwhile says nothing.
  const answers = await Promise.allSettled(said)
  const failed = answers.find(({ status }) => status === 'rejected') as
    PromiseRejectedResult | undefined
  if (answers.some((answer) => answer.status === 'fulfilled' && answer.value)) return true
  if (failed && !isGone(failed.reason)) throw failed.reason
  return false
}

/** Not more often than now and then, however busy the page is. */
async function change({ tab, frames }: Stage, untilMs: number): Promise<void> {
  const leftMs = Math.max(0, Math.min(limits.waitLookMs, untilMs - performance.now()))
  const inFrames = frames.all().then((all) =>
    Promise.race(
      all.map(async (frame) => {
        const world = await frames.worldOf(frame)
        await callIn(tab, frame, world, nextChange)
      }),
    ),
  )
  const off: (() => void)[] = []
  const told = new Promise<void>((resolve) => {
    const events = [
      'Page.frameNavigated',
      'Page.navigatedWithinDocument',
      'Page.loadEventFired',
    ] as const
    for (const event of events) off.push(tab.on(event, () => resolve()))
    off.push(tab.onInterrupt(() => resolve()))
  })
  try {
    // A page that cannot say is looked at again all the same.
    const anything = Promise.race([inFrames.catch(() => pause(leftMs)), told, pause(leftMs)])
    await Promise.all([anything, pause(Math.min(leftMs, limits.waitPauseMs))])
  } finally {
    for (const stop of off) stop()
  }
}

function late(missing: string, timeoutMs: number): ServiceError {
  const message = `Not within ${timeoutMs} ms: ${missing}. Take a snapshot to see how the page is.`
  return new ServiceError('timeout', message)
}
