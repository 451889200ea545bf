/**
 * The requests of a session as an HTTP archive (HAR 1.2), which browsers and proxies open:
 * http://www.softwareishard.com/blog/har-12-spec/. There are no headers, cookies or bodies in it.
 */
import type {
  Exchange,
  ExchangeAnswer,
  ExchangeTimings,
} from '../../proto/browser-host/exchange.ts'
import { isNotFound } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import type { SessionView } from '../../proto/session/session.ts'
import { askNode, type NodeRequester } from '../../runtime/browser-host/node-client.ts'
import { version } from '../../runtime/lib/package.ts'

type Asked = Pick<SessionView, 'id' | 'nodeId'>

const head = { version: '1.2', creator: { name: 'Troupe', version } }
const unknownSize = -1
const comment =
  'Without headers, cookies and bodies, and without the values of queries. Requests of frames in ' +
  'processes of their own and of workers are missing.'

/**
 * The archive in parts, so that it is never in memory as a whole. Throws `unavailable` before the first
 * part if the host of the session is gone.
 */
export async function harOf(bus: NodeRequester, view: Asked): Promise<AsyncIterable<string>> {
  const first = await exchangesAfter(bus, view, 0)
  return harParts(pagesFrom(bus, view, first))
}

async function* harParts(parts: AsyncIterable<readonly Exchange[]>): AsyncGenerator<string> {
  const pages = new Map<string, HarPage>()
  let separator = ''
  yield `{"log":${JSON.stringify(head).slice(0, -1)},"entries":[`
  for await (const exchanges of parts) {
    for (const exchange of exchanges) notePage(pages, exchange)
    const entries = exchanges.map((exchange) => JSON.stringify(entryOf(exchange)))
    if (entries.length > 0) yield `${separator}${entries.join(',\n')}`
    separator = ',\n'
  }
  yield `],"pages":${JSON.stringify([...pages.values()])},"comment":${JSON.stringify(comment)}}}\n`
}

type Part = Awaited<ReturnType<typeof exchangesAfter>>

async function* pagesFrom(
  bus: NodeRequester,
  view: Asked,
  first: Part,
): AsyncGenerator<readonly Exchange[]> {
  for (let part = first; ;) {
    if (part.exchanges.length > 0) yield part.exchanges
    if (!part.hasMore) return
    part = await exchangesAfter(bus, view, part.exchanges.at(-1)!.n)
  }
}

async function exchangesAfter(bus: NodeRequester, { id: sessionId, nodeId }: Asked, after: number) {
  if (nodeId === undefined) return { exchanges: [], hasMore: false }
  const asked = { sessionId, after }
  return askNode(bus, nodeId, 'exchanges', asked, limits.nodeCallMs).catch((error: unknown) => {
    // A host of an older version keeps none.
    if (isNotFound(error)) return { exchanges: [], hasMore: false }
    throw error
  })
}

interface HarPage {
  readonly id: string
  readonly startedDateTime: string
  readonly title: string
  readonly pageTimings: object
}

/** A tab, from its first request; its title is the address of its first document. */
function notePage(pages: Map<string, HarPage>, { page: id, at, url, type }: Exchange): void {
  const known = pages.get(id)
  if (known?.title) return
  const title = type === 'document' ? url : ''
  pages.set(id, { startedDateTime: at, ...known, id, title, pageTimings: {} })
}

const nothing = { cookies: [], headers: [], headersSize: unknownSize }
/** Of a request that was never answered: HAR has no other way to say it. */
const unanswered: ExchangeAnswer = {
  ...{ status: 0, statusText: '', protocol: '', mimeType: 'x-unknown', bytes: 0, isCached: false },
}

function entryOf(exchange: Exchange) {
  const { page, at, ms, method, url, type, answer, error } = exchange
  const { status, statusText, protocol, mimeType, bytes, redirectUrl = '' } = answer ?? unanswered
  const httpVersion = protocol || 'unknown'
  const timings = timingsOf(ms, answer)
  return {
    pageref: page,
    startedDateTime: at,
    time: sumOf(timings),
    request: { method, url, httpVersion, ...nothing, queryString: [], bodySize: unknownSize },
    response: {
      ...{ status, statusText, httpVersion, ...nothing },
      content: { size: unknownSize, mimeType },
      redirectURL: redirectUrl,
      bodySize: answer?.isCached ? 0 : unknownSize,
      _transferSize: bytes,
      ...(error !== undefined && { _error: error }),
    },
    cache: {},
    timings,
    _resourceType: type,
  }
}

const timingsOf = (ms: number, answer: ExchangeAnswer | undefined): Partial<ExchangeTimings> =>
  answer?.timings ?? { send: 0, wait: ms, receive: 0 }

/** Of all parts; `ssl` is one of `connect`, and -1 stands for none. */
const sumOf = ({ ssl: _, ...parts }: Partial<ExchangeTimings>): number =>
  Object.values(parts).reduce((sum, ms) => sum + Math.max(0, ms), 0)

const shownExchange: Exchange = {
  ...{ n: 1, at: '2026-01-01T09:00:00.000Z', page: '9A4F', method: 'GET' },
  ...{ url: 'https://example.com/', type: 'document', ms: 84.2 },
  answer: {
    ...{ status: 200, statusText: 'OK', protocol: 'h2', mimeType: 'text/html', bytes: 1_256 },
    isCached: false,
    timings: { blocked: 1.2, dns: 8, connect: 31, ssl: 20, send: 0.3, wait: 42, receive: 1.7 },
  },
}

/** An archive as the API reference shows it. */
export const harExample = {
  log: {
    ...head,
    entries: [entryOf(shownExchange)],
    pages: [
      {
        ...{ id: shownExchange.page, startedDateTime: shownExchange.at, title: shownExchange.url },
        pageTimings: {},
      },
    ],
    comment,
  },
}
