/** The public view of a job. Its findings are in its record, for people who may read it. */
import type { SnapshotFrom } from 'xstate'
import type { JobStatus, JobView } from '../../../proto/access/jobs/job.ts'
import { jobRunnerOf } from './kinds/registry.ts'
import type { jobMachine } from './machine.ts'
import type { JobContext } from './context.ts'

export type JobSnapshot = SnapshotFrom<typeof jobMachine>

export function jobView({ value, context }: JobSnapshot): JobView {
  const { id, tenant, createdAtMs, endedAtMs, ended, order } = context
  return {
    id,
    tenant,
    area: order.area,
    status: jobStatusOf(value, context),
    createdAtMs,
    ...(value === 'ended' && endedAtMs !== null && { endedAtMs }),
    ...(ended?.end === 'failed' && { error: ended.message }),
  }
}

export function jobStatusOf(value: JobSnapshot['value'], { work, ended }: JobContext): JobStatus {
  if (value === 'recording') return 'queued'
  if (value !== 'ended') return 'running'
  return jobRunnerOf(work).result(ended ?? { end: 'done' }).status
}
