import { ServiceError } from '../../proto/errors.ts'

/** One answer for unknown ids, malformed ids and those of other tenants, so they look the same. */
export function noSuchSession(): ServiceError {
  return new ServiceError('not_found', 'There is no session of this id.')
}
