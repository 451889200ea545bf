import { ServiceError } from '../../proto/errors.ts'

/** Unknown ids, impossible ids and those of other tenants: nobody can tell one from another. */
export function noSuchSession(): ServiceError {
  return new ServiceError('not_found', 'There is no session of this id.')
}

/** True for the actor's own word that there is no such session. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ServiceError && error.type === 'not_found'
}
