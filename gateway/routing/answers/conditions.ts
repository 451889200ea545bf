/** Conditional requests (RFC 9110, section 13). An ETag is a record's version, in quotes. */
import { ServiceError } from '../../../proto/errors.ts'
import type { HttpRequest } from '../../server/http.ts'

export const etagOf = (version: number): string => `"${version}"`

/** True if `If-None-Match` contains this ETag, so the caller already has the current version. */
export function isKnown(request: HttpRequest, etag: string): boolean {
  const given = request.headers.get('if-none-match')
  if (given === undefined) return false
  const strong = (tag: string) => tag.trim().replace(/^W\//, '')
  return given.trim() === '*' || given.split(',').some((tag) => strong(tag) === strong(etag))
}

/**
 * The version that `If-Match` demands; `*` means any. Call this after the record was found: a
 * record that does not exist is 404, with or without the header.
 */
export function ifMatch(request: HttpRequest): number | '*' {
  const given = request.headers.get('if-match')?.trim()
  if (given === undefined || given === '') {
    throw new ServiceError(
      'precondition_required',
      'Send If-Match with the ETag that you last read, such as If-Match: "3".',
    )
  }
  if (given === '*') return '*'
  const [, weak, text] = /^(W\/)?"([^"]*)"$/.exec(given) ?? []
  if (text === undefined) {
    const message = 'must be one ETag in double quotes, such as If-Match: "3", or *.'
    throw new ServiceError('bad_request', `If-Match ${message}`, { header: 'if-match' })
  }
  if (weak !== undefined || !/^(0|[1-9]\d{0,14})$/.test(text)) {
    const message =
      'If-Match does not name a version of this record: read it again and send its ETag.'
    throw new ServiceError('precondition_failed', message)
  }
  return Number(text)
}
