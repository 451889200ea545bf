/**
 * Recognises requests that must not be waited for: those that stay open by design, and those whose
 * end Chromium does not report to the page.
 */

/** Types that may stay open indefinitely; their end has no visible effect. */
const endlessTypes: ReadonlySet<string> = new Set([
  'EventSource',
  'WebSocket',
  'Ping',
  'Media',
  'Prefetch',
  'CSPViolationReport',
])

/** URLs of data that the page already has. */
const localScheme = /^(blob|data|about|chrome-extension):/i

/**
 * Long polls as common servers and libraries name them: engine.io, SignalR, CometD, BOSH, Matrix …
 */
const pollPath = /\/((long-?poll(ing)?|polling|xhr_streaming|cometd|http-bind)(\/|$)|poll$)/i
const pollQuery =
  /[?&](transport=(long)?-?polling|feed=(longpoll|continuous|eventsource)|(timeout|wait)=\d+)/i

const streamedType =
  /^(text\/event-stream|application\/(x-ndjson|stream\+json)|multipart\/x-mixed)/i

export interface BackgroundRequest {
  readonly type?: string | undefined
  readonly url: string
  /** The document that sent the request; empty for the script of a worker. */
  readonly loaderId: string
}

/** Decided from the request alone; `type` is Chromium's resource type. */
export function isBackgroundRequest({ type, url, loaderId }: BackgroundRequest): boolean {
  if (type !== undefined && endlessTypes.has(type)) return true
  // Chromium reports the end of this request to the worker only.
  if (type === 'Script' && loaderId === '') return true
  if (localScheme.test(url)) return true
  const mark = url.indexOf('?')
  const [path, query] = mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark)]
  return type !== 'Document' && (pollPath.test(path) || pollQuery.test(query))
}

/** True for a response that continues as long as its reader listens. */
export const isStreamedAnswer = (mimeType: string): boolean => streamedType.test(mimeType)

/**
 * The URL without its query. It is the same for all requests of a poll, whose query contains the
 * position reached.
 */
export const requestEndpoint = (url: string): string => url.split('?', 1)[0]!
