import type { Method, RawCall, Route } from '../routing/route.ts'
import type { HttpReply } from '../server/http.ts'

export type Asked = Pick<RawCall, 'request' | 'requestId' | 'params'>

/** A page: it is asked for by browsers, knows who asks by itself, and is no part of the API. */
export const htmlRoute = (
  method: Method,
  path: string,
  answer: (asked: Asked) => Promise<HttpReply>,
): Route => ({
  method,
  path,
  summary: 'A page of the portal.',
  auth: 'none',
  isInternal: true,
  status: 200,
  contentType: 'text/html',
  run: answer,
})
