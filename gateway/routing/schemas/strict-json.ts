/**
 * Request bodies of scoped access: JSON with a JSON content type, and plain
 * (`runtime/access/plain-json.ts`).
 */
import { ServiceError } from '../../../proto/errors.ts'
import { plainJson } from '../../../runtime/access/plain-json.ts'
import { parseJson } from '../../server/body.ts'
import type { HttpRequest } from '../../server/http.ts'

const json = 'application/json'
const mergePatch = 'application/merge-patch+json'

/** The value of a body, undefined for an empty one. Text is normalised to Unicode NFC. */
export async function strictJson(request: HttpRequest, limitBytes: number): Promise<unknown> {
  const encoding = request.headers.get('content-encoding')
  if (encoding !== undefined && encoding !== 'identity') {
    throw new ServiceError('unsupported_media_type', 'Send the body without a content-encoding.')
  }
  const bytes = await request.body(limitBytes)
  if (bytes.byteLength === 0) return undefined
  const given = request.headers.get('content-type')
  const type = given?.split(';')[0]!.trim().toLowerCase()
  const accepted = request.method === 'PATCH' ? [json, mergePatch] : [json]
  if (type === undefined || !accepted.includes(type)) {
    const accepts = accepted.join(', ')
    const header = request.method === 'PATCH' ? 'accept_patch' : 'accept_post'
    const text = `The body must be JSON: send the header content-type: ${accepted.join(' or ')}.`
    throw new ServiceError('unsupported_media_type', text, { [header]: accepts })
  }
  return plainJson(parseJson(bytes, given))
}

/** Refuses a body on routes that take none, since dropping it silently would hide a mistake. */
export function refuseBody({ headers }: HttpRequest): void {
  const isEmpty = (headers.get('content-length') ?? '0') === '0'
  if (isEmpty && !headers.has('transfer-encoding')) return
  throw badInputError('This request takes no body; send it without one.')
}

function badInputError(message: string): ServiceError {
  return new ServiceError('bad_request', message)
}
