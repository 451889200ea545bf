/** The interface of a kind of job. A new kind is one file here and one row in `registry.ts`. */
import type { RecordFields } from '../../../../proto/access/areas/define-area.ts'
import type { JobOrder, JobStatus } from '../../../../proto/access/jobs/job.ts'
import type { JobEffectContext, JobEffectDeps } from '../deps.ts'
import type { JobWork, JobStep, JobEnd } from '../work.ts'

export interface JobResult {
  readonly status: Extract<JobStatus, 'completed' | 'partial' | 'failed' | 'cancelled'>
  readonly error?: string
  readonly fields: RecordFields
}

export interface JobKind<
  O extends JobOrder,
  W extends JobWork & { readonly order: O },
  S extends JobStep,
> {
  readonly tool: { readonly name: string; readonly version: string }
  /** The request's fields in the record. */
  requestFields(order: O): RecordFields
  begin(order: O): W
  /** One step, which may be repeated after a crash. Throws if the job has failed. */
  step(deps: JobEffectDeps, effect: JobEffectContext, work: W): Promise<S>
  isStep(step: JobStep): step is S
  fold(work: W, step: S): W
  isDone(work: W): boolean
  /** Fields that readers see while it runs. */
  progress(work: W): RecordFields
  result(work: W, end: JobEnd): JobResult
  /** Releases what the job holds; may be repeated. */
  release(deps: JobEffectDeps, effect: JobEffectContext, work: W): Promise<void>
  /** Fields with the ids of the sessions and tasks that it used. */
  usedResources(work: W): RecordFields
}
