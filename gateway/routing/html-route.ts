import type { Method, RawCall, Route } from './route.ts'
import type { HttpReply } from '../server/http.ts'

export type HtmlCall = Pick<RawCall, 'request' | 'requestId' | 'params'>

/** A route for a page: it has its own sign-in check and is not part of the API. */
export const htmlRoute = (
  method: Method,
  path: string,
  answer: (asked: HtmlCall) => Promise<HttpReply>,
): Route => ({
  method,
  path,
  summary: 'Show a page.',
  auth: 'none',
  isInternal: true,
  status: 200,
  contentType: 'text/html',
  run: answer,
})
