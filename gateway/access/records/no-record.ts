import { ServiceError } from '../../../proto/errors.ts'

/**
 * The same error for records that do not exist, are hidden from the caller, or are another
 * client's.
 */
export const noRecord = (): ServiceError =>
  new ServiceError(
    'not_found',
    'There is no such record; GET the area to list the records that you may read.',
  )
