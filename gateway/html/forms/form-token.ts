/**
 * Ensures that a form comes from our pages. Its token is derived from a secret in the person's
 * cookie; in addition, the browser's `Sec-Fetch-Site` is checked.
 */
import { createHash, randomBytes } from 'node:crypto'
import { ServiceError } from '../../../proto/errors.ts'
import { equalInConstantTime } from '../../../proto/accounts/key.ts'
import type { HttpRequest } from '../../server/http.ts'

export const formTokenField = 'form_token'

/** `holder` is the session's text, or the `form` cookie's before sign-in. */
export const formToken = (holder: string): string =>
  createHash('sha256').update(`form:${holder}`).digest('base64url')

export const newHolder = (): string => randomBytes(16).toString('base64url')

/** Throws `forbidden` for a form from another site, or without the right token. */
export function checkForm(request: HttpRequest, given: string, holder: string | undefined): void {
  const site = request.headers.get('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin') {
    throw new ServiceError(
      'forbidden',
      'This form was sent from another site. Nothing was changed.',
    )
  }
  if (holder !== undefined && equalInConstantTime(given, formToken(holder))) return
  const text =
    'This form has expired or is not from these pages. Nothing was changed. Reload and try again.'
  throw new ServiceError('forbidden', text)
}
