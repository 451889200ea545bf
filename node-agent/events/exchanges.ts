/** Requests of pages and their answers, from what Chromium tells of a page's network. */
import type { Protocol } from 'devtools-protocol'
import type {
  Exchange,
  ExchangeAnswer,
  ExchangeTimings,
} from '../../proto/browser-host/exchange.ts'
import { defined } from '../../proto/defined.ts'
import { sessionLimits } from '../../proto/session/limits.ts'
import { shownUrl } from '../../runtime/lib/text/shown-url.ts'
import type { CdpEvent } from '../cdp/protocol.ts'
import { eventLimits } from './limits.ts'
import type { PageWatcher } from './watched-pages.ts'

type NewExchange = Omit<Exchange, 'n'>
type Response = Protocol.Network.Response

/** Tells of each exchange once it has ended. */
export const pageExchanges = (tell: (exchange: NewExchange) => void): PageWatcher => ({
  domains: ['Network'],
  watch(page) {
    /** Of this page, by the ids of their requests. */
    const pending = new Map<string, Pending>()
    return (event) => follow(event, page, pending, tell)
  },
})

interface Pending {
  readonly asked: Protocol.Network.RequestWillBeSentEvent
  response?: Response
  isCached?: true
}

interface End {
  /** Chromium's clock, in seconds. */
  readonly atS: number
  readonly bytes?: number
  readonly error?: string
}

function follow(
  { method, params }: CdpEvent,
  page: string,
  pending: Map<string, Pending>,
  tell: (exchange: NewExchange) => void,
): void {
  const end = (id: string, how: End) => {
    const known = pending.get(id)
    if (known && pending.delete(id)) tell({ page, ...exchangeOf(known, how) })
  }
  switch (method) {
    case 'Network.requestWillBeSent': {
      const { requestId: id, request, redirectResponse, timestamp } = params
      const before = pending.get(id)
      if (before && redirectResponse) {
        before.response = redirectResponse
        end(id, { atS: timestamp, bytes: redirectResponse.encodedDataLength })
      }
      if (notAsked.test(request.url)) return
      // Of a page that never gets an answer to anything, the oldest are forgotten.
      const [oldest = ''] = pending.keys()
      if (pending.size >= eventLimits.exchangesPending) pending.delete(oldest)
      pending.set(id, { asked: params })
      return
    }
    case 'Network.requestServedFromCache': {
      const known = pending.get(params.requestId)
      if (known) known.isCached = true
      return
    }
    case 'Network.responseReceived': {
      const known = pending.get(params.requestId)
      if (known) known.response = params.response
      return
    }
    case 'Network.loadingFinished':
      return end(params.requestId, { atS: params.timestamp, bytes: params.encodedDataLength })
    case 'Network.loadingFailed':
      return end(params.requestId, { atS: params.timestamp, error: params.errorText })
  }
}

/** What these have is in the address, or in the page. */
const notAsked = /^(data|blob|about):/

function exchangeOf(known: Pending, how: End): Omit<NewExchange, 'page'> {
  const { request, wallTime, timestamp, type = 'Other' } = known.asked
  const { error } = how
  return {
    at: new Date(wallTime * 1_000).toISOString(),
    method: request.method,
    url: shown(request.url),
    type: type.toLowerCase(),
    ms: rounded((how.atS - timestamp) * 1_000),
    ...defined({ answer: answerOf(known, how), error }),
  }
}

function answerOf(
  { asked, response, isCached }: Pending,
  { atS, bytes = 0 }: End,
): ExchangeAnswer | undefined {
  if (!response) return undefined
  const { status, statusText, mimeType, protocol = '', timing, headers } = response
  return {
    ...{ status, statusText, protocol, mimeType, bytes },
    isCached: isCached === true || response.fromDiskCache === true,
    ...defined({ redirectUrl: redirectOf({ status, headers, url: response.url }) }),
    ...(timing && { timings: timingsOf(timing, asked.timestamp, atS) }),
  }
}

/** Where a redirect leads, if that is an address. */
function redirectOf({ status, headers, url }: Pick<Response, 'status' | 'headers' | 'url'>) {
  if (status < 300 || status >= 400) return undefined
  const header = Object.entries(headers).find(([name]) => name.toLowerCase() === 'location')
  const location = String(header?.[1])
  return header && URL.canParse(location, url) ? shown(new URL(location, url).href) : undefined
}

/** Chromium has ms since `requestTime`, and -1 for what there was not. */
function timingsOf(
  timing: Protocol.Network.ResourceTiming,
  askedS: number,
  endS: number,
): ExchangeTimings {
  const span = (from: number, to: number) => (from < 0 || to < 0 ? -1 : rounded(to - from))
  const first = [timing.dnsStart, timing.connectStart, timing.sendStart].find((ms) => ms >= 0) ?? 0
  const endMs = (endS - timing.requestTime) * 1_000
  return {
    blocked: rounded((timing.requestTime - askedS) * 1_000 + first),
    dns: span(timing.dnsStart, timing.dnsEnd),
    connect: span(timing.connectStart, timing.connectEnd),
    ssl: span(timing.sslStart, timing.sslEnd),
    send: Math.max(0, span(timing.sendStart, timing.sendEnd)),
    wait: Math.max(0, span(timing.sendEnd, timing.receiveHeadersEnd)),
    receive: rounded(endMs - timing.receiveHeadersEnd),
  }
}

const rounded = (ms: number) => Math.max(0, Math.round(ms * 1_000) / 1_000)

const shown = (url: string) => shownUrl(url, sessionLimits.eventUrlChars)
