/** An error as a page: what it means and what to do next. */
import type { ServiceError } from '../../proto/errors.ts'
import type { Markup } from './markup.ts'
import type { PageContent } from './page-content.ts'

const titles: Readonly<Record<number, string>> = {
  400: 'The request could not be read',
  401: 'Please sign in',
  403: 'You do not have permission',
  404: 'Page not found',
  405: 'Page not found',
  409: 'This is not possible right now',
  410: 'This is no longer available',
  412: 'This was changed in the meantime',
  413: 'The request is too large',
  415: 'The request could not be read',
  422: 'Something is missing or wrong',
  429: 'Too many requests',
  503: 'Temporarily unavailable',
}

const hints: Readonly<Record<number, string>> = {
  404: 'The page does not exist, or you do not have access to it.',
  405: 'Go back to the previous page and try again from there.',
  409: 'Go back, reload the page and check its current state.',
  412: 'Someone changed it after you opened the page. Go back, reload the page and decide again.',
  429: 'Nothing was changed. Wait a moment, then try again.',
  503: 'Nothing was changed. Try again in a moment.',
}

/** `forbiddenHint` says how to get the missing permission. */
export function errorShown(
  error: ServiceError,
  requestId: string,
  home: string,
  forbiddenHint?: Markup,
): PageContent {
  const { status } = error
  const isOurs = status >= 500 && status !== 503
  const text = status === 404 || status === 405 ? undefined : error.message
  return {
    title: isOurs ? 'Something went wrong on our side' : (titles[status] ?? 'This did not work'),
    status,
    body: (
      <>
        {text === undefined ? '' : <p>{text}</p>}
        {hints[status] === undefined ? '' : <p>{hints[status]}</p>}
        {status === 403 ? (forbiddenHint ?? '') : ''}
        <p>
          <a class="button main" href={home}>
            Go to the overview
          </a>
        </p>
        <p class="quiet">
          If you contact support, include this request ID: <code class="id">{requestId}</code>
        </p>
      </>
    ),
  }
}
