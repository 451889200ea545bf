/** Sending a tab to an address, and knowing when it is there. */
import { ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import { addressOf } from './address.ts'
import type { Tab } from './tab.ts'

interface Navigated {
  /** Absent when only the fragment changed. */
  readonly loaderId?: string
  readonly errorText?: string
}

/**
 * Not failures: a download or an empty answer leaves the page where it was, and a server that
 * answers with an error and no page has been reached.
 */
const reached = ['net::ERR_ABORTED', 'net::ERR_HTTP_RESPONSE_CODE_FAILURE']

/** Resolves once the page has loaded, or shows a dialog, beyond which nothing will. */
export async function goTo(tab: Tab, given: string): Promise<void> {
  const url = addressOf(given)
  const { loaderId, errorText } = await leave(tab, url)
  if (errorText !== undefined) {
    if (reached.includes(errorText)) return
    const message = `The browser could not open ${url}: ${errorText}.`
    throw new ServiceError('navigation_failed', message, { reason: errorText })
  }
  if (loaderId === undefined) return
  await tab.enable()
  await loaded(tab, url)
  await firstFrame(tab)
}

/** Over when the new document is there, or will not come. Who sends a tab away means to leave. */
async function leave(tab: Tab, url: string): Promise<Navigated> {
  const stop = tab.onInterrupt(() => {
    // Whether it went, the navigation's own answer tells.
    if (tab.dialog?.type === 'beforeunload') void tab.answer(true).catch(() => undefined)
  })
  try {
    return await tab.call<Navigated>('Page.navigate', { url }, limits.navigateMs)
  } finally {
    stop()
  }
}

async function loaded(tab: Tab, url: string): Promise<void> {
  const message = `${url} did not finish loading within ${limits.navigateMs} ms.`
  const late = new ServiceError('timeout', message)
  let stop = () => {}
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(late), limits.navigateMs)
      const offLoad = tab.on('Page.loadEventFired', () => resolve())
      const offInterrupt = tab.onInterrupt((why) => (tab.dialog ? resolve() : reject(why)))
      stop = () => {
        clearTimeout(timer)
        offLoad()
        offInterrupt()
      }
      if (tab.dialog) resolve()
      // It may have loaded before we listened. If it cannot say, the events will.
      const state = tab.evaluate<string>('() => document.readyState')
      state.then((is) => is === 'complete' && resolve()).catch(() => undefined)
    })
  } finally {
    stop()
  }
}

/** Input that comes before a page has been drawn is lost on it. */
async function firstFrame(tab: Tab): Promise<void> {
  const drawn = `() => new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(resolve))
    setTimeout(resolve, ${limits.firstFrameMs})
  })`
  // The page is there all the same when it shows a dialog, or has gone on to another.
  await tab.evaluate(drawn).catch(() => undefined)
}
