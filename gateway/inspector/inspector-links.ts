/**
 * The URL of the DevTools front end of a session's browser: `/inspector/<session>/<token>/…`. The
 * token is a session token for CDP, so it ends with its expiry, its key, its session, or when the
 * session's tokens are revoked.
 */

const folder = '/inspector'

export const inspectorFilePath = `${folder}/{session_id}/{token}/{file...}`
export const inspectorPage = 'inspector.html'

export interface InspectorAddress {
  readonly sessionId: string
  /** A session token that allows CDP. */
  readonly token: string
  /** The target to inspect. */
  readonly pageId: string
  /** The base URL of this service's sockets, such as `wss://browsers.example.com`. */
  readonly sockets: string
}

/** The path and query of the page; the front end connects to the socket that the query names. */
export function inspectorLink({ sessionId, token, pageId, sockets }: InspectorAddress): string {
  const url = `${sockets}/devtools/page/${pageId}?apiKey=${token}&sessionId=${sessionId}`
  const [, scheme = '', rest = ''] = /^(wss?):\/\/(.*)$/.exec(url)!
  return `${folder}/${sessionId}/${token}/${inspectorPage}?${scheme}=${encodeURIComponent(rest)}`
}
