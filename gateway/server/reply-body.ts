/** The kinds of body that a reply may have, as both engines send them. */
import type { HttpReply, StreamedBody } from './http.ts'

export function isStreamed(body: HttpReply['body']): body is StreamedBody {
  return typeof body === 'object' && 'stream' in body
}

/** Undefined where nobody knows yet. */
export function byteLength(body: HttpReply['body']): number | undefined {
  if (isStreamed(body)) return body.bytes
  return body === undefined ? 0 : Buffer.byteLength(body)
}

/** For a client that is gone or wants no body: the source of a stream is told to stop. */
export function discard(body: HttpReply['body']): void {
  if (!isStreamed(body)) return
  // A source may report it as an error that its stream was cut off; that is what was asked for.
  body.stream.on('error', () => {})
  body.stream.destroy()
}
