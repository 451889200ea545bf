/**
 * The DevTools front end of a session's browser, at an address with a token: `/inspector/<session>/<token>/…`.
 * The token is a session token for CDP, so it ends with its time, its key, its session, or when the
 * session's tokens are ended.
 */

const folder = '/inspector'

export const inspectorFilePath = `${folder}/{session_id}/{token}/{file...}`
export const inspectorPage = 'inspector.html'

export interface InspectorAddress {
  readonly sessionId: string
  /** Opens CDP of the session. */
  readonly token: string
  /** The target that is inspected. */
  readonly pageId: string
  /** Where sockets of this service are, such as `wss://browsers.example.com`. */
  readonly sockets: string
}

/** The path and query of the page; the front end dials the socket that its query names. */
export function inspectorLink({ sessionId, token, pageId, sockets }: InspectorAddress): string {
  const url = `${sockets}/devtools/page/${pageId}?apiKey=${token}&sessionId=${sessionId}`
  const [, scheme = '', rest = ''] = /^(wss?):\/\/(.*)$/.exec(url)!
  return `${folder}/${sessionId}/${token}/${inspectorPage}?${scheme}=${encodeURIComponent(rest)}`
}
