/** Converts a request of node:http to an `HttpRequest`. */
import type { IncomingMessage } from 'node:http'
import { BodyReader } from '../body.ts'
import { normalisePath, type HttpRequest } from '../http.ts'
import { serverLimits } from '../limits.ts'

export interface IncomingRequest {
  readonly request: HttpRequest
  readonly body: BodyReader
  /** To be called when the client has disconnected. */
  leave(): void
}

const nothing = new Uint8Array(0)

export function readNodeRequest(message: IncomingMessage): IncomingRequest {
  const gone = new AbortController()
  const headers = headersOf(message)
  const { socket } = message
  const body = new BodyReader(headers, {
    pause() {
      message.pause()
      socket.setTimeout(0)
    },
    resume() {
      message.resume()
      socket.setTimeout(serverLimits.requestSilenceMs)
    },
  })
  // An error is followed by the close of the connection, which is handled.
  message.on('error', () => {})
  if (body.finished) {
    message.resume()
  } else {
    socket.setTimeout(serverLimits.requestSilenceMs)
    message.on('data', (chunk: Buffer) => body.push(chunk, false))
    message.once('end', () => {
      socket.setTimeout(0)
      body.push(nothing, true)
    })
  }
  const target = message.url ?? '/'
  const mark = target.indexOf('?')
  const request: HttpRequest = {
    method: message.method ?? 'GET',
    path: normalisePath(mark < 0 ? target : target.slice(0, mark)),
    query: new URLSearchParams(mark < 0 ? '' : target.slice(mark + 1)),
    headers,
    remoteAddress: socket.remoteAddress ?? '',
    gone: gone.signal,
    body: (limitBytes) => body.whole(limitBytes),
    stream: (limitBytes) => body.stream(limitBytes),
  }
  return {
    request,
    body,
    leave() {
      gone.abort()
      body.abort()
    },
  }
}

function headersOf({ rawHeaders }: IncomingMessage): ReadonlyMap<string, string> {
  const headers = new Map<string, string>()
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase()
    const value = rawHeaders[at + 1]!
    const earlier = headers.get(name)
    headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`)
  }
  return headers
}
