/**
 * Answers to requests that never reach the routes: not HTTP, or with headers that are too large.
 */
import { newId } from '../../proto/ids.ts'
import { onEveryAnswer, type HttpReply } from './http.ts'
import { serverLimits } from './limits.ts'

export function headersTooLarge(): HttpReply {
  const text = `The request line and the headers may have ${serverLimits.headerBytes} bytes at most.`
  return refusal(431, 'too_large', text)
}

export function notHttp(): HttpReply {
  return refusal(400, 'bad_request', 'This is not a well-formed HTTP/1.1 request.')
}

function refusal(code: number, type: 'bad_request' | 'too_large', message: string): HttpReply {
  const requestId = newId('req')
  return {
    status: code,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      ...onEveryAnswer,
      'x-request-id': requestId,
    },
    body: JSON.stringify({ error: { code, type, message, request_id: requestId } }),
  }
}
