import { ServiceError } from '../../proto/errors.ts'

/** Unknown ids, impossible ids and those of other tenants: nobody can tell one from another. */
export function noSuchSession(): ServiceError {
  return new ServiceError('not_found', 'There is no session of this id.')
}
