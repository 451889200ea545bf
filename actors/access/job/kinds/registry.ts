/** All kinds of jobs, bound to the state of one job. `fold` and `isDone` are pure. */
import type { RecordFields } from '../../../../proto/access/areas/define-area.ts'
import type { JobOrder } from '../../../../proto/access/jobs/job.ts'
import type { JobEffectContext, JobEffectDeps } from '../deps.ts'
import type { JobKind, JobResult } from './kind.ts'
import { seoAuditJob } from './seo-audit.ts'
import { webTaskJob } from './web-task.ts'
import type { JobEnd, JobStep, JobWork } from '../work.ts'

export interface JobRunner {
  readonly tool: { readonly name: string; readonly version: string }
  requestFields(): RecordFields
  step(deps: JobEffectDeps, effect: JobEffectContext): Promise<JobStep>
  fold(step: JobStep): JobWork
  isDone(): boolean
  progress(): RecordFields
  result(end: JobEnd): JobResult
  release(deps: JobEffectDeps, effect: JobEffectContext): Promise<void>
  usedResources(): RecordFields
}

export const startWork = (order: JobOrder): JobWork =>
  order.area === 'seo-audits' ? seoAuditJob.begin(order) : webTaskJob.begin(order)

export const jobRunnerOf = (work: JobWork): JobRunner =>
  work.area === 'seo-audits' ? bound(seoAuditJob, work) : bound(webTaskJob, work)

function bound<O extends JobOrder, W extends JobWork & { readonly order: O }, S extends JobStep>(
  kind: JobKind<O, W, S>,
  work: W,
): JobRunner {
  return {
    tool: kind.tool,
    requestFields: () => kind.requestFields(work.order),
    step: (deps, effect) => kind.step(deps, effect, work),
    fold: (step) => (kind.isStep(step) ? kind.fold(work, step) : work),
    isDone: () => kind.isDone(work),
    progress: () => kind.progress(work),
    result: (end) => kind.result(work, end),
    release: (deps, effect) => kind.release(deps, effect, work),
    usedResources: () => kind.usedResources(work),
  }
}
