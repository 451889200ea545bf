/** Navigates a tab and waits until the page is loaded. */
import { ServiceError } from '../../../proto/errors.ts'
import type { NavigationRules } from '../../network/network.ts'
import { blockedByPolicy } from '../../egress/policy.ts'
import { toNavigationUrl } from '../../../runtime/browser-host/navigation-url.ts'
import { inPage } from './in-page.ts'
import type { Tab } from './tab.ts'
import { pageLimits } from '../limits.ts'
import { commandLimits } from '../../../proto/commands/limits.ts'
import type { LoadWait } from '../../../proto/commands/page/loading.ts'
import { meaningOf } from './load-errors.ts'

const { arrivedAt, hasLoaded, nextFrames } = inPage

interface Navigated {
  /** Absent if only the fragment changed. */
  readonly loaderId?: string
  readonly errorText?: string
}

/** Errors of Chromium for what its proxy, the filter, did not connect. */
const unconnected = [
  'net::ERR_TUNNEL_CONNECTION_FAILED',
  'net::ERR_SOCKS_CONNECTION_FAILED',
  'net::ERR_SOCKS_CONNECTION_HOST_UNREACHABLE',
]
/**
 * Errors that are not failures: a download or an empty response leaves the page unchanged, and a
 * server that answers with an error without a page has been reached.
 */
const aborted = 'net::ERR_ABORTED'
const withoutPage = 'net::ERR_HTTP_RESPONSE_CODE_FAILURE'

/**
 * Resolves when the page has loaded, or shows a dialog, which stops loading; with `stayed` if the page
 * is still the one of before, as for a download.
 */
export async function navigateTo(
  tab: Tab,
  given: string,
  network: NavigationRules,
  { timeout = commandLimits.navigateMs, wait_until: until = 'load' }: LoadWait = {},
): Promise<'stayed' | void> {
  const untilMs = tab.clock.monotonic() + timeout
  const url = toNavigationUrl(given)
  // Refused here for a clear message; Chromium would only report a failed connection.
  refuseBlocked(network.refusalOf(url))
  const { loaderId, errorText } = await leave(tab, url, timeout)
  if (errorText !== undefined) {
    if (errorText === aborted) return 'stayed'
    if (errorText === withoutPage) return
    throw await unreached(tab, { url, errorText }, network)
  }
  if (loaderId === undefined) return
  await tab.enable()
  const withinMs = Math.max(0, untilMs - tab.clock.monotonic())
  if (until !== 'commit') {
    await awaitLoad(tab, url, { until, withinMs })
    await firstFrame(tab)
  }
  if (!network.isRestricted) return
  // Where redirects led; a page that does not answer has been reached.
  const there = await tab.evaluate(arrivedAt).catch(() => undefined)
  if (!there) return
  refuseBlocked(network.refusalOf(there.url))
  const failure = await network.failureOf(there.url, there.status)
  if (failure !== undefined) throw unopened(there.url, failure)
}

/** The error for a page that did not open, with the reason that the filter knows. */
async function unreached(
  tab: Tab,
  { url, errorText }: { readonly url: string; readonly errorText: string },
  network: NavigationRules,
): Promise<ServiceError> {
  if (!network.isRestricted) return unopened(url, errorText)
  // Where redirects led; the page may have gone meanwhile.
  const tree = await tab.call('Page.getFrameTree').catch(() => undefined)
  const end = tree?.frameTree.frame.unreachableUrl ?? url
  const failure = await network.failureOf(end)
  if (failure === blockedByPolicy) return blocked(`${end} leads to a blocked address.`)
  if (!unconnected.includes(errorText)) return unopened(end, errorText)
  return failure === undefined
    ? blocked(`${end} cannot be reached, or leads to a blocked address.`)
    : unopened(end, failure)
}

function unopened(url: string, reason: string): ServiceError {
  const message = `The browser could not open ${url}: ${reason}${meaningOf(reason)}.`
  return new ServiceError('navigation_failed', message, { reason })
}

function refuseBlocked(why: string | undefined): void {
  if (why !== undefined) throw blocked(why)
}

function blocked(why: string): ServiceError {
  const message = `Blocked by the network policy of this session: ${why}`
  return new ServiceError('navigation_failed', message, { reason: blockedByPolicy })
}

/** Goes back or forward; resolves when the page is shown, which may happen without loading. */
export async function navigateHistory(tab: Tab, by: -1 | 1): Promise<void> {
  const { currentIndex, entries } = await tab.call('Page.getNavigationHistory')
  const entry = entries[currentIndex + by]
  if (!entry) {
    const message = `There is no page to go ${by === -1 ? 'back' : 'forward'} to.`
    throw new ServiceError('conflict', message)
  }
  const { id: entryId } = entry
  await awaitArrival(tab, () => tab.call('Page.navigateToHistoryEntry', { entryId }))
}

export async function reloadPage(tab: Tab): Promise<void> {
  await awaitArrival(tab, () => tab.call('Page.reload'))
}

async function awaitArrival(tab: Tab, begin: () => Promise<unknown>): Promise<void> {
  await tab.enable()
  const message = `The page did not open within ${commandLimits.navigateMs} ms.`
  let stop = () => {}
  const there = new Promise<'new' | 'same'>((resolve, reject) => {
    const late = () => reject(new ServiceError('timeout', message))
    const timer = tab.clock.timer(commandLimits.navigateMs, late)
    const offNew = tab.on('Page.frameNavigated', ({ frame }) => {
      if ((frame as { parentId?: string }).parentId === undefined) resolve('new')
    })
    const offSame = tab.on('Page.navigatedWithinDocument', ({ frameId }) => {
      if (frameId === tab.id) resolve('same')
    })
    stop = () => {
      timer.cancel()
      offNew()
      offSame()
    }
  })
  try {
    const [where] = await Promise.all([there, leaving(tab, begin)])
    const load = { until: 'load', withinMs: commandLimits.navigateMs } as const
    if (where === 'new') await awaitLoad(tab, 'The page', load)
  } finally {
    stop()
  }
  await firstFrame(tab)
}

/**
 * Resolves when the new document has committed or failed. `beforeunload` dialogs are accepted,
 * because the caller wants to leave.
 */
async function leave(tab: Tab, url: string, withinMs: number): Promise<Navigated> {
  try {
    return await leaving(tab, () => tab.call('Page.navigate', { url }, withinMs))
  } catch (error) {
    if (!(error instanceof ServiceError && error.type === 'timeout')) throw error
    // Otherwise it would take the page away at any time.
    await tab.stopLoading().catch(() => undefined)
    const { host } = new URL(url)
    const message =
      `${host || url} did not answer within ${withinMs} ms; the page from before is still there. ` +
      'Send a longer timeout, or try another address.'
    throw new ServiceError('timeout', message, { reason: 'no_answer' })
  }
}

async function leaving<T>(tab: Tab, begin: () => Promise<T>): Promise<T> {
  const stop = tab.onInterrupt(() => {
    // The navigation itself reports the error.
    if (tab.dialog?.type === 'beforeunload') void tab.answer(true).catch(() => undefined)
  })
  try {
    return await begin()
  } finally {
    stop()
  }
}

async function awaitLoad(
  tab: Tab,
  url: string,
  { until, withinMs }: { readonly until: 'load' | 'domcontentloaded'; readonly withinMs: number },
): Promise<void> {
  const isWhole = until === 'load'
  const message =
    `${url} did not finish loading in time, and is shown as far as it has loaded; ` +
    'wait_until: "domcontentloaded" does not wait for pictures and the like.'
  const late = new ServiceError('timeout', message)
  let stop = () => {}
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = tab.clock.timer(withinMs, () => reject(late))
      const fired = isWhole ? 'Page.loadEventFired' : 'Page.domContentEventFired'
      const offLoad = tab.on(fired, () => resolve())
      const offInterrupt = tab.onInterrupt((why) => (tab.dialog ? resolve() : reject(why)))
      stop = () => {
        timer.cancel()
        offLoad()
        offInterrupt()
      }
      if (tab.dialog) resolve()
      // The page may have loaded before we listened. If it cannot answer, the events decide.
      const loaded = tab.evaluate(hasLoaded, isWhole)
      loaded.then((is) => is && resolve()).catch(() => undefined)
    })
  } finally {
    stop()
  }
}

/** Waits for the first frame, because input before it is lost. */
async function firstFrame(tab: Tab): Promise<void> {
  // The page has arrived even if it shows a dialog or has navigated on.
  await tab.evaluate(nextFrames, pageLimits.firstFrameMs).catch(() => undefined)
}
