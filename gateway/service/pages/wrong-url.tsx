/** The answer to a browser that opens a URL without a page: a page with links. */
import type { ServiceError } from '../../../proto/errors.ts'
import { errorReply, htmlReply } from '../../routing/answers/reply.ts'
import type { HttpReply, HttpRequest } from '../../server/http.ts'
import { framedPage } from './page-frame.tsx'
import { descriptionsOf, placesOf, type IsServed } from './service-links.tsx'

const words: Readonly<Record<number, { readonly heading: string; readonly lead: string }>> = {
  400: {
    heading: 'This URL is for WebSockets',
    lead: 'Connect to it from a program, with ws:// or wss://. A web browser cannot show it.',
  },
  404: {
    heading: 'There is no such page',
    lead: 'Check the URL for typos, or continue from here.',
  },
  405: {
    heading: 'This URL is for programs',
    lead: 'A browser sends GET, which this URL does not answer. The reference shows how to use it.',
  },
}

/**
 * The page for a URL that no route answers, if a browser requests it; undefined if the answer has
 * to be JSON. Browsers list HTML in `Accept` when they open a URL; other clients and scripts accept
 * anything.
 */
export function wrongUrlReply(
  error: ServiceError,
  { method, headers }: HttpRequest,
  requestId: string,
  isServed: IsServed,
): HttpReply | undefined {
  const isRead = method === 'GET' || method === 'HEAD'
  const said = words[error.status]
  if (!isRead || !said || !/\btext\/html\b/i.test(headers.get('accept') ?? '')) return undefined
  const { heading, lead } = said
  const html = framedPage({
    title: `${heading} – Troupe`,
    heading,
    lead,
    children: (
      <>
        <p>
          <a class="button main" href="/">
            To the start page
          </a>
        </p>
        {placesOf(isServed)}
        {descriptionsOf(isServed)}
        <p class="quiet">
          If you ask for help, give this number: <code>{requestId}</code>
        </p>
      </>
    ),
  })
  const page = htmlReply(error.status, html)
  // Keeps the headers of the error: the allowed methods, and whether the connection is closed.
  const errorHeaders = errorReply(error, requestId).headers
  return { ...page, headers: { ...errorHeaders, ...page.headers, vary: 'accept' } }
}
