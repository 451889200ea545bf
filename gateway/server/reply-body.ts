/** Helpers for the kinds of reply bodies, used by both engines. */
import type { HttpReply, StreamedBody } from './http.ts'

export function isStreamed(body: HttpReply['body']): body is StreamedBody {
  return typeof body === 'object' && 'stream' in body
}

/** Undefined if the length of a stream is not known. */
export function byteLength(body: HttpReply['body']): number | undefined {
  if (isStreamed(body)) return body.bytes
  return body === undefined ? 0 : Buffer.byteLength(body)
}

/** Destroys the source of a streamed body when the client is gone or wants no body. */
export function discardBody(body: HttpReply['body']): void {
  if (!isStreamed(body)) return
  // Some sources report the destroy as an error; it is expected.
  body.stream.on('error', () => {})
  body.stream.destroy()
}
