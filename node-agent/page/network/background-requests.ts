/**
 * Which requests nobody should wait for: those that stay open by design, and those whose end
 * Chromium does not report to the page.
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

/** What the page already has. */
const localScheme = /^(blob|data|about|chrome-extension):/i

/** Long polls as servers and libraries spell them: engine.io, SignalR, CometD, BOSH, Matrix … */
const pollPath = /\/(long-?poll(ing)?|polling|poll|xhr_streaming|cometd|http-bind)(\/|$)/i
const pollQuery =
  /[?&](transport=(long)?-?polling|feed=(longpoll|continuous|eventsource)|(timeout|wait)=\d+)/i

const streamedType =
  /^(text\/event-stream|application\/(x-ndjson|stream\+json)|multipart\/x-mixed)/i

export interface BackgroundRequest {
  readonly type?: string | undefined
  readonly url: string
  /** The document that asks; empty for the script of a worker. */
  readonly loaderId: string
}

/** Judged by the request alone; `type` is Chromium's resource type. */
export function isBackgroundRequest({ type, url, loaderId }: BackgroundRequest): boolean {
  if (type !== undefined && endlessTypes.has(type)) return true
  // Its end is reported to the worker only.
  if (type === 'Script' && loaderId === '') return true
  if (localScheme.test(url)) return true
  const mark = url.indexOf('?')
  const [path, query] = mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark)]
  return type !== 'Document' && (pollPath.test(path) || pollQuery.test(query))
}

/** True for an answer that goes on for as long as its reader listens. */
export const isStreamedAnswer = (mimeType: string): boolean => streamedType.test(mimeType)

/** The same for all requests of one poll, which tell in their query what they have seen. */
export const endpointOf = (url: string): string => url.split('?', 1)[0]!
