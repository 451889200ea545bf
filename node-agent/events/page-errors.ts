/**
 * What goes wrong in the pages of a session: errors that they log, exceptions that nothing catches, and
 * requests that fail. Pages are attached to for it, which they may notice, so it is for sessions that are
 * recorded or traced. Frames in processes of their own are not seen.
 */
import type { NewLoggedEvent } from '../../proto/session/session-event.ts'
import { sessionLimits } from '../../proto/session/limits.ts'
import { shownUrl } from '../../runtime/lib/text/shown-url.ts'
import type { CdpPipe } from '../cdp/cdp.ts'
import type { CdpEvent } from '../cdp/protocol.ts'
import { isSessionPage, type PageTarget } from '../cdp/session-page.ts'
import { consoleWords, exceptionText } from '../page/network/console-words.ts'
import { eventLimits } from './limits.ts'

export interface ErringBrowser {
  readonly cdp: CdpPipe
  /** Of pages of the service, which nobody is told of. */
  readonly ownContextId: string
}

type Tell = (event: NewLoggedEvent) => void

/** From now on, until the browser ends. */
export function watchErrors({ cdp, ownContextId }: ErringBrowser, tell: Tell): void {
  const sinceMs = cdp.clock.now()
  /** By their pages, what stops listening; undefined until a page is attached to. */
  const watched = new Map<string, (() => void) | undefined>()
  const bounded = atMost(eventLimits.errorsPerSecond, cdp.clock, tell)
  const watch = async (page: string) => {
    watched.set(page, undefined)
    const { sessionId } = await cdp.send('Target.attachToTarget', { targetId: page, flatten: true })
    if (!watched.has(page)) return
    const stopListening = cdp.onEvent((event) => {
      const error = errorIn(event, page)
      // Chromium also tells what it has kept from before.
      if (error && error.atMs >= sinceMs) bounded(error.event)
    }, sessionId)
    watched.set(page, stopListening)
    await cdp.send('Log.enable', {}, { sessionId })
    await cdp.send('Runtime.enable', {}, { sessionId })
  }
  const leave = (page: string) => {
    watched.get(page)?.()
    watched.delete(page)
  }
  const seen = (target: PageTarget) => {
    if (!isSessionPage(target, ownContextId) || watched.has(target.targetId)) return
    // A page that closes at once.
    watch(target.targetId).catch(() => leave(target.targetId))
  }
  cdp.onEvent(({ method, params }: CdpEvent) => {
    if (method === 'Target.targetCreated') seen(params.targetInfo)
    else if (method === 'Target.targetDestroyed') leave(params.targetId)
  })
  const all = cdp.send('Target.getTargets', {})
  all.then(({ targetInfos }) => targetInfos.forEach(seen)).catch(() => undefined)
}

interface PageFault {
  readonly atMs: number
  readonly event: NewLoggedEvent
}

/** What the session itself blocks has not failed. */
const blocked = /ERR_BLOCKED_BY_/
const loading = /^Failed to load resource: (?:the server responded with a status of )?/

function errorIn({ method, params }: CdpEvent, page: string): PageFault | undefined {
  const fault = (atMs: number, text: string): PageFault => {
    const at = new Date(atMs).toISOString()
    const shown = text.slice(0, sessionLimits.eventTextChars)
    return { atMs, event: { type: 'page_error', page, text: shown, at } }
  }
  switch (method) {
    case 'Runtime.consoleAPICalled':
      if (params.type !== 'error' && params.type !== 'assert') return undefined
      return fault(params.timestamp, consoleWords(params.args))
    case 'Runtime.exceptionThrown':
      return fault(params.timestamp, exceptionText(params.exceptionDetails))
    case 'Log.entryAdded': {
      const { level, source, text, url = '', timestamp: atMs } = params.entry
      if (level !== 'error' || blocked.test(text)) return undefined
      if (source !== 'network') return fault(atMs, text)
      const at = new Date(atMs).toISOString()
      const shown = shownUrl(url, sessionLimits.eventUrlChars)
      const reason = text.replace(loading, '').slice(0, sessionLimits.eventTextChars)
      return { atMs, event: { type: 'request_failed', page, url: shown, reason, at } }
    }
    default:
      return undefined
  }
}

/** Passes so many on in a second; the others are counted, and told of at its end. */
function atMost(count: number, clock: CdpPipe['clock'], tell: Tell): Tell {
  let told = 0
  let left = 0
  let isCounting = false
  return (event) => {
    if (!isCounting) {
      isCounting = true
      clock.timer(1_000, () => {
        if (left > 0) tell({ type: 'skipped', count: left })
        told = left = 0
        isCounting = false
      })
    }
    if (told++ < count) tell(event)
    else left++
  }
}
