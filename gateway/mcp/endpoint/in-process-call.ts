/**
 * Lets the gateway call its own routes without a socket; the call passes the same key check,
 * schemas, metrics and log as any request.
 */
import { Readable } from 'node:stream'
import { arrayBuffer } from 'node:stream/consumers'
import { isFile, type ServiceRequester } from '../service.ts'
import type { HttpReply, HttpRequest } from '../../server/http.ts'

export type RequestHandler = (request: HttpRequest) => Promise<HttpReply>

/** Makes calls with the given key; `host` is the address that the client used. */
export function inProcessCall(handle: RequestHandler, key: string, host: string): ServiceRequester {
  return async ({ method, path, body, signal }) => {
    const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body))
    const { pathname, searchParams } = new URL(path, 'http://inside')
    const {
      status,
      headers,
      body: answer,
    } = await handle({
      method,
      path: pathname,
      query: searchParams,
      headers: new Map([
        ...(body === undefined ? [] : ([['content-type', 'application/json']] as const)),
        ['service-api-key', key],
        ['host', host],
      ]),
      remoteAddress: '',
      gone: signal ?? new AbortController().signal,
      body: async () => bytes,
      stream: () => Readable.from([bytes]),
    })
    if (isFile(headers['content-type'])) return { status, body: await bytesOf(answer) }
    return { status, body: JSON.parse(String(answer)) }
  }
}

async function bytesOf(body: HttpReply['body']): Promise<Uint8Array> {
  if (body === undefined || typeof body === 'string') return Buffer.from(body ?? '')
  return 'stream' in body ? new Uint8Array(await arrayBuffer(body.stream)) : body
}
