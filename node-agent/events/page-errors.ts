/**
 * What goes wrong in the pages of a session: errors that they log, exceptions that nothing catches, and
 * requests that fail.
 */
import type { NewLoggedEvent } from '../../proto/session/session-event.ts'
import { sessionLimits } from '../../proto/session/limits.ts'
import { shownUrl } from '../../runtime/lib/text/shown-url.ts'
import type { CdpPipe } from '../cdp/cdp.ts'
import type { CdpEvent } from '../cdp/protocol.ts'
import { consoleWords, exceptionText } from '../page/network/console-words.ts'
import { eventLimits } from './limits.ts'
import type { PageWatcher } from './watched-pages.ts'

type Tell = (event: NewLoggedEvent) => void

export function pageErrors(clock: CdpPipe['clock'], tell: Tell): PageWatcher {
  const sinceMs = clock.now()
  const bounded = atMost(eventLimits.errorsPerSecond, clock, tell)
  return {
    domains: ['Log', 'Runtime'],
    watch: (page) => (event) => {
      const error = errorIn(event, page)
      // Chromium also tells what it has kept from before.
      if (error && error.atMs >= sinceMs) bounded(error.event)
    },
  }
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
