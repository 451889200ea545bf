import { ServiceError } from '../../../proto/errors.ts'

/** One that is not there, one that is not shown and one of another client look the same. */
export const noRecord = (): ServiceError =>
  new ServiceError('not_found', 'There is no such record; GET the area lists those you see.')
