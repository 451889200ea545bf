/** Which messages a checker accepts. Switching it to its current setting changes nothing. */
import type { checkActor } from '../../../proto/access/jobs/check.ts'
import type { MessageOf } from '../../../proto/actor.ts'
import { ServiceError } from '../../../proto/errors.ts'
import type { CheckSnapshot } from './view.ts'

export function admitCheck({ value }: CheckSnapshot, { type }: MessageOf<typeof checkActor>): void {
  if (value !== 'gone' || type === 'get' || type === 'created') return
  const text = 'The record of this check was deleted; there is nothing to check.'
  throw new ServiceError('invalid_transition', text, { status: 'gone', allowed: [] })
}
