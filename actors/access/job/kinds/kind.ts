/** What a kind of job is. A new one is a file here and a row in `registry.ts`. */
import type { RecordFields } from '../../../../proto/access/areas/define-area.ts'
import type { JobOrder, JobStatus } from '../../../../proto/access/job.ts'
import type { JobEffectContext, JobEffectDeps } from '../deps.ts'
import type { SeoState, SeoStep } from '../seo/state.ts'
import type { WebTaskState, WebTaskStep } from '../web-task/state.ts'

/** What a job knows, plain data, and what one step of its work adds. */
export type JobWork = SeoState | WebTaskState
export type JobStep = SeoStep | WebTaskStep

/** How a job ended, before anything was said of what it found. */
export type JobEnd =
  | { readonly end: 'done' }
  | { readonly end: 'cancelled' }
  /** `message` is for the record's readers. */
  | { readonly end: 'failed'; readonly message: string }

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
  /** What was asked for, as the record has it. */
  asked(order: O): RecordFields
  begin(order: O): W
  /** One step, which may be repeated after a crash. Throws what ends the job. */
  step(deps: JobEffectDeps, effect: JobEffectContext, work: W): Promise<S>
  isStep(step: JobStep): step is S
  fold(work: W, step: S): W
  isDone(work: W): boolean
  /** What a reader sees while it runs. */
  progress(work: W): RecordFields
  result(work: W, end: JobEnd): JobResult
  /** Gives back what the job holds; may be repeated. */
  release(deps: JobEffectDeps, effect: JobEffectContext, work: W): Promise<void>
  /** Ids of the sessions and tasks that it worked with. */
  workedWith(work: W): RecordFields
}
