import { ServiceError } from '../../proto/errors.ts'

/** A rule of a mask that this host cannot apply, so that the session would show what it is to hide. */
export function refusedMask(
  list: 'custom_selectors' | 'site_selectors' | 'custom_patterns',
  rule: string,
  cause?: unknown,
): ServiceError {
  const field = `browser.sensitive_data_mask.${list}`
  const kind = list === 'custom_patterns' ? 'a regular expression of RE2' : 'a CSS selector'
  return new ServiceError('bad_request', `${field}: ${rule} is not ${kind}.`, { field }, cause)
}
