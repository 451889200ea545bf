/**
 * Jobs: records of an area that the service itself works on. The actor of a job has its record's
 * id; it makes the record, keeps it up to date while it works, and writes what came of it.
 */
import type { z } from 'zod'
import { actorProtocol, commandVerb, queryVerb, type ActorView } from '../actor.ts'
import type { SessionId } from '../ids.ts'
import type { SessionTurn } from '../session-protocol.ts'
import type { TaskOrder } from '../task.ts'
import type { AreaKey } from './areas.ts'
import type { RecordFields } from './areas/define-area.ts'
import type { jobStatus } from './areas/fields.ts'
import type { Author } from './author.ts'
import type { ClientId } from './ids.ts'
import type { WebTaskArea } from './job-output.ts'
import type { ChangeOrigin } from './record.ts'

export const jobAreas = [
  'seo-audits',
  'market-scans',
  'enrichment',
  'extraction',
  'ai-assistance',
] as const satisfies readonly AreaKey[]
export type JobArea = (typeof jobAreas)[number]
export const isJobArea = (area: AreaKey): area is JobArea => jobAreas.some((one) => one === area)

export type JobStatus = z.output<typeof jobStatus>

export interface SeoAuditOrder {
  readonly area: 'seo-audits'
  readonly siteUrl: string
  readonly strategy: 'mobile' | 'desktop'
  readonly pagesMost: number
  /** Of browsers to work in: the next one is taken when one is lost. */
  readonly sessionIds: readonly SessionId[]
}

/** A job that a web task does. */
export interface WebTaskJobOrder {
  readonly area: WebTaskArea
  /** What was asked for, as the record has it. */
  readonly fields: RecordFields
  readonly taskId: string
  readonly task: TaskOrder
  /** Of enrichment: what the subject has in the fields that are asked for. */
  readonly current?: RecordFields
}
export type JobOrder = SeoAuditOrder | WebTaskJobOrder

export interface JobInput {
  /** The record's. */
  readonly id: string
  readonly tenant: ClientId
  readonly createdAtMs: number
  readonly origin: ChangeOrigin
  readonly order: JobOrder
}

/** Wall-clock ms. What the job found is in its record alone. */
export interface JobView extends ActorView {
  readonly tenant: ClientId
  readonly area: JobArea
  readonly status: JobStatus
  readonly createdAtMs: number
  readonly error?: string
}

export interface JobReply {
  readonly view: JobView
}

export const jobActor = actorProtocol<JobInput, JobView>()('job', {
  /** Answered once the job's record is there. */
  created: queryVerb<JobReply>(),
  get: queryVerb<JobReply>(),
  /** Ends a job that is under way: `invalid_transition` for one that has ended. */
  cancel: commandVerb<JobReply, { readonly by: Author }>(),
  /** From the actor of a session that it works in. */
  'session.turn': commandVerb<JobReply, { readonly turn: SessionTurn }>(),
  'session.ended': commandVerb<
    JobReply,
    {
      readonly sessionId: string
      readonly reason: string | null
      readonly message: string | null
    }
  >(),
})
