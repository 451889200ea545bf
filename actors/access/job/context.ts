/** The context of a job's machine. */
import type { JobInput } from '../../../proto/access/jobs/job.ts'
import type { ActorContext } from '../../../runtime/actor/actor-kind.ts'
import type { JobEnd, JobWork } from './work.ts'

export interface JobContext extends JobInput, ActorContext {
  readonly tenant: JobInput['tenant']
  readonly work: JobWork
  readonly ended: JobEnd | null
  /** When its work ended; its record is written after that. */
  readonly endedAtMs: number | null
}
