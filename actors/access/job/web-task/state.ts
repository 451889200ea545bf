/** The state of a job that runs as a web task. */
import type { WebTaskArea } from '../../../../proto/access/jobs/job-output.ts'
import type { WebTaskJobOrder } from '../../../../proto/access/jobs/job.ts'
import type { TaskUsage } from '../../../../proto/task/task.ts'

export interface WebTaskState {
  readonly area: WebTaskArea
  readonly order: WebTaskJobOrder
  readonly isOrdered: boolean
  readonly steps: number
  readonly sessionId: string | null
  readonly over: EndedTask | null
}

/** How the task ended. */
export interface EndedTask {
  readonly usage: TaskUsage
  /** Set if the task completed. */
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: string
}

export type WebTaskStep = { readonly area: WebTaskArea } & (
  | { readonly kind: 'ordered' }
  | {
      readonly kind: 'watched'
      readonly steps: number
      readonly sessionId?: string
      readonly over?: EndedTask
    }
)
