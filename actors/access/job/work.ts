/** The data that a job's machine exchanges with its work: plain data, stored in its log. */
import type { SeoState, SeoStep } from './seo/state.ts'
import type { WebTaskState, WebTaskStep } from './web-task/state.ts'

/** The plain-data state of a job, and below, the result of one step. */
export type JobWork = SeoState | WebTaskState

export type JobStep = SeoStep | WebTaskStep

/** How the work ended, without its findings. */
export type JobEnd =
  | { readonly end: 'done' }
  | { readonly end: 'cancelled' }
  /** `message` is for readers of the record. */
  | { readonly end: 'failed'; readonly message: string }
