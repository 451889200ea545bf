/** An error as a page: what it means and what to do next. */
import type { ServiceError } from '../../proto/errors.ts'
import type { Markup } from './markup.ts'
import type { PageContent } from './page-content.ts'

const titles: Readonly<Record<number, string>> = {
  400: 'That could not be read',
  401: 'Please sign in',
  403: 'That is not for you to do',
  404: 'There is no such page',
  405: 'There is no such page',
  409: 'That cannot be done now',
  410: 'It is not there any more',
  412: 'It has changed meanwhile',
  413: 'That is too long',
  415: 'That could not be read',
  422: 'Something is missing or wrong',
  429: 'Too much at once',
  503: 'Not available at this moment',
}

const hints: Readonly<Record<number, string>> = {
  404: 'It may never have been there, or it may be something that you cannot see.',
  405: 'Go back to the page before, and try again from there.',
  409: 'Go back, load the page again, and look at how things stand now.',
  412: 'Somebody changed it while you were looking. Go back, reload the page, and decide again.',
  429: 'Wait a little, then try again. Nothing was changed.',
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
    title: isOurs ? 'Something failed on our side' : (titles[status] ?? 'That did not work'),
    status,
    body: (
      <>
        {text === undefined ? '' : <p>{text}</p>}
        {hints[status] === undefined ? '' : <p>{hints[status]}</p>}
        {status === 403 ? (forbiddenHint ?? '') : ''}
        <p>
          <a class="button main" href={home}>
            To the overview
          </a>
        </p>
        <p class="quiet">
          If you ask for help, tell this number: <code class="id">{requestId}</code>
        </p>
      </>
    ),
  }
}
