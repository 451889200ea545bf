/** Which messages a job accepts in its current state. */
import type { MessageOf } from '../../../proto/actor.ts'
import type { jobActor } from '../../../proto/access/jobs/job.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { jobStatusOf, type JobSnapshot } from './view.ts'

export function admitJob(
  { value, context }: JobSnapshot,
  message: MessageOf<typeof jobActor>,
): void {
  if (message.type !== 'cancel') return
  if (context.ended === null && value !== 'ended') return
  const status = jobStatusOf(value, context)
  const text = `This job is ${status}; there is nothing left to cancel.`
  throw new ServiceError('invalid_transition', text, { status, allowed: [] })
}
