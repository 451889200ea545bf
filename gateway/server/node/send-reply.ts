/** Writes replies to responses of node:http. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isBodiless, statusText, type HttpReply, type StreamedBody } from '../http.ts'
import { byteLength, discardBody, isStreamed } from '../reply-body.ts'
import { serverLimits } from '../limits.ts'

type Response = ServerResponse<IncomingMessage>

/** If `close` is set, closes the connection afterwards. */
export function sendReply(
  res: Response,
  reply: HttpReply,
  gone: AbortSignal,
  close: boolean,
): void {
  const { body, status } = reply
  const bytes = byteLength(body)
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(reply.headers)) headers[name] = asLatin1(value)
  const isBare = isBodiless(status)
  if (bytes !== undefined && !isBare) headers['content-length'] = String(bytes)
  if (close) headers['connection'] = 'close'
  // Ends the connection if the client stops reading, or the source stops producing.
  res.socket?.setTimeout(serverLimits.requestSilenceMs)
  res.writeHead(status, statusText(reply), headers)
  if (isBare || res.req.method === 'HEAD' || bytes === 0) {
    res.end()
    discardBody(body)
  } else if (isStreamed(body)) {
    send(res, body, gone)
  } else {
    res.end(body)
  }
}

/**
 * Reads no faster than the client does. If the source fails midway, the connection is broken off.
 */
function send(res: Response, { stream, bytes }: StreamedBody, gone: AbortSignal): void {
  let sentBytes = 0
  const cut = () => {
    if (!res.writableEnded) res.destroy()
  }
  gone.addEventListener('abort', () => stream.destroy(), { once: true })
  res.on('drain', () => stream.resume())
  stream.on('data', (chunk: Buffer) => {
    if (res.writableEnded) return
    const fitting = bytes === undefined ? chunk : chunk.subarray(0, bytes - sentBytes)
    sentBytes += fitting.length
    if (sentBytes === bytes) res.end(fitting)
    else if (!res.write(fitting)) stream.pause()
  })
  stream.once('error', cut)
  stream.once('end', () => {
    if (bytes === undefined) res.end()
    else cut()
  })
}

/**
 * node:http writes one byte for each character of a header, so other characters than ASCII are sent
 * as UTF-8.
 */
function asLatin1(value: string): string {
  return Buffer.byteLength(value) === value.length ? value : Buffer.from(value).toString('latin1')
}
