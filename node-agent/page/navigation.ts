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
  const arrival = new Arrival(tab)
  try {
    const navigating = tab.call<Navigated>('Page.navigate', { url }, limits.navigateMs)
    const { loaderId, errorText } = await navigating
    if (errorText !== undefined) {
      if (reached.includes(errorText)) return
      const message = `The browser could not open ${url}: ${errorText}.`
      throw new ServiceError('navigation_failed', message, { reason: errorText })
    }
    if (loaderId === undefined) return
    await arrival.of(loaderId, url)
    await firstFrame(tab)
  } finally {
    arrival.over()
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

/** Watches from before the start, so that nothing fast is missed. */
class Arrival {
  readonly #off: (() => void)[]
  /** Documents in their order, and how many had come when one was loaded. */
  readonly #documents: string[] = []
  #loaded = 0
  #look = () => {}
  #fail: (why: ServiceError) => void = () => {}

  constructor(tab: Tab) {
    this.#off = [
      tab.on('Page.frameNavigated', (params) => {
        const frame = params['frame'] as { parentId?: string; loaderId: string }
        if (frame.parentId === undefined) this.#documents.push(frame.loaderId)
      }),
      tab.on('Page.loadEventFired', () => this.#done()),
      tab.onInterrupt((why) => {
        // Who sends a tab elsewhere means to leave; whether it did, the navigation tells.
        if (tab.dialog?.type === 'beforeunload') void tab.answer(true).catch(() => undefined)
        else if (tab.dialog) this.#done()
        else this.#fail(why)
      }),
    ]
  }

  async of(loaderId: string, url: string): Promise<void> {
    const there = () => {
      const index = this.#documents.indexOf(loaderId)
      return index !== -1 && this.#loaded > index
    }
    await new Promise<void>((resolve, reject) => {
      this.#fail = (why) => {
        clearTimeout(timer)
        reject(why)
      }
      const message = `${url} did not finish loading within ${limits.navigateMs} ms.`
      const late = new ServiceError('timeout', message)
      const timer = setTimeout(() => reject(late), limits.navigateMs)
      this.#look = () => {
        if (!there()) return
        clearTimeout(timer)
        resolve()
      }
      this.#look()
    })
  }

  over(): void {
    for (const off of this.#off) off()
  }

  #done(): void {
    this.#loaded = this.#documents.length
    this.#look()
  }
}
