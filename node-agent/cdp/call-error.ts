/** Converts a failed CDP call to the error that the caller of a command gets. */
import { ServiceError } from '../../proto/errors.ts'
import type { CdpError } from './cdp.ts'

/**
 * An `unavailable`, `timeout` or `conflict`: none is a fault of the service, and each may be
 * retried.
 */
export function browserCallError(cause: CdpError): ServiceError {
  switch (cause.kind) {
    case 'closed':
      return new ServiceError('unavailable', 'The browser has ended.', {}, cause)
    case 'late': {
      const message = 'The browser did not answer in time; try again.'
      return new ServiceError('timeout', message, {}, cause)
    }
    case 'refused': {
      const message = `The browser refused the call: ${cause.message}; try again.`
      return new ServiceError('conflict', message, {}, cause)
    }
  }
}
