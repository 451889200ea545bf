/**
 * That a form was filled in on a page of ours. Its token follows from what only the holder of the
 * cookie and this service know; beside it the browser says where the form comes from.
 */
import { createHash, randomBytes } from 'node:crypto'
import { ServiceError } from '../../../proto/errors.ts'
import { equal } from '../../../proto/key.ts'
import type { HttpRequest } from '../../server/http.ts'

export const formTokenField = 'form_token'

/** `holder`: the text of the sign-in, or of the cookie that stands in for it. */
export const formToken = (holder: string): string =>
  createHash('sha256').update(`form:${holder}`).digest('base64url')

export const newHolder = (): string => randomBytes(16).toString('base64url')

/** Throws `forbidden` for a form of another site, and for one without its token. */
export function checkForm(request: HttpRequest, given: string, holder: string | undefined): void {
  const site = request.headers.get('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin') {
    throw new ServiceError('forbidden', 'This form came from another site; nothing was changed.')
  }
  if (holder !== undefined && equal(given, formToken(holder))) return
  const text = 'This form is too old, or not from this portal. Nothing was changed; try again.'
  throw new ServiceError('forbidden', text)
}
