/**
 * Bodies of the answers that a page got. Chromium keeps them in the page's process, up to a limit, and
 * drops the oldest; it keeps none before somebody wants them.
 */
import type { CommandOutput } from '../../../proto/commands/catalogue.ts'
import { commandLimits } from '../../../proto/commands/limits.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { pageLimits } from '../limits.ts'
import { isChromiumError } from '../tabs/calls.ts'
import type { Tab } from '../tabs/tab.ts'

/** Raises the limits of network events that are enabled already. */
export async function keepBodies(tab: Tab): Promise<void> {
  const params = {
    maxTotalBufferSize: pageLimits.bodiesKeptBytes,
    maxResourceBufferSize: commandLimits.responseBodyBytes,
    maxPostDataSize: 0,
  }
  await tab.send('Network.enable', params, pageLimits.tabEnableMs)
}

interface AnsweredRequest {
  readonly id: string
  readonly url: string
  readonly status?: number | undefined
  readonly mimeType?: string | undefined
}

/** Throws `not_found` if there is none, or none any more. */
export async function bodyOf(
  tab: Tab,
  { id, url, status, mimeType }: AnsweredRequest,
): Promise<CommandOutput<'response_body'>> {
  const { body, base64Encoded: base64 } = await tab
    .send('Network.getResponseBody', { requestId: id })
    .catch((error: unknown) => {
      throw isChromiumError(error, noBody) ? missingError(url, error) : error
    })
  if (body.length > commandLimits.responseBodyBytes) {
    const most = `${commandLimits.responseBodyBytes} characters`
    throw new ServiceError('too_large', `The body of ${url} has more than ${most}.`)
  }
  const type = mimeType ?? ''
  return { url, type, body, base64, ...(status !== undefined && { status }) }
}

const noBody = /evicted|No data found|No resource|can only be read|not available/i

const missingError = (url: string, cause: unknown) =>
  new ServiceError(
    'not_found',
    `The body of ${url} is not there: it has not arrived yet, is empty, was asked for before bodies were ` +
      'kept, is too large, or others took its place. Let the page ask again.',
    {},
    cause,
  )
