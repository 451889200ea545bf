import { ServiceError } from '../../proto/errors.ts'

/** The same answer for unknown ids, malformed ids and those of other tenants. */
export function noSuchSession(): ServiceError {
  return new ServiceError('not_found', 'There is no session with this id.')
}
