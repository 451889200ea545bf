/** All kinds of jobs, bound to the state of one job. `fold` and `isDone` are pure. */
import type { RecordFields } from '../../../../proto/access/areas/define-area.ts'
import type { JobOrder } from '../../../../proto/access/job.ts'
import type { JobEffectContext, JobEffectDeps } from '../deps.ts'
import type { JobEnd, JobKind, JobResult, JobStep, JobWork } from './kind.ts'
import { seoAudit } from './seo-audit.ts'
import { webTaskJob } from './web-task.ts'

export interface Job {
  readonly tool: { readonly name: string; readonly version: string }
  asked(): RecordFields
  step(deps: JobEffectDeps, effect: JobEffectContext): Promise<JobStep>
  fold(step: JobStep): JobWork
  isDone(): boolean
  progress(): RecordFields
  result(end: JobEnd): JobResult
  release(deps: JobEffectDeps, effect: JobEffectContext): Promise<void>
  workedWith(): RecordFields
}

export const beginWork = (order: JobOrder): JobWork =>
  order.area === 'seo-audits' ? seoAudit.begin(order) : webTaskJob.begin(order)

export const jobOf = (work: JobWork): Job =>
  work.area === 'seo-audits' ? bound(seoAudit, work) : bound(webTaskJob, work)

function bound<O extends JobOrder, W extends JobWork & { readonly order: O }, S extends JobStep>(
  kind: JobKind<O, W, S>,
  work: W,
): Job {
  return {
    tool: kind.tool,
    asked: () => kind.asked(work.order),
    step: (deps, effect) => kind.step(deps, effect, work),
    fold: (step) => (kind.isStep(step) ? kind.fold(work, step) : work),
    isDone: () => kind.isDone(work),
    progress: () => kind.progress(work),
    result: (end) => kind.result(work, end),
    release: (deps, effect) => kind.release(deps, effect, work),
    workedWith: () => kind.workedWith(work),
  }
}
