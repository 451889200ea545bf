/**
 * Jobs: records of an area that the service itself works on. A job's actor has the id of its
 * record; it creates the record, updates it while it works, and writes the result.
 */
import type { z } from 'zod'
import { actorProtocol, commandVerb, endVerb, queryVerb, type ActorView } from '../../actor.ts'
import type { SessionId } from '../../ids.ts'
import type { SessionTurn } from '../../session/session-protocol.ts'
import type { TaskOrder } from '../../task/task.ts'
import type { AreaKey } from '../areas/areas.ts'
import type { RecordFields } from '../areas/define-area.ts'
import type { jobStatus } from '../areas/fields.ts'
import type { Author } from '../author.ts'
import type { ClientId } from '../ids.ts'
import type { WebTaskArea } from './job-output.ts'
import type { ChangeOrigin } from '../areas/record.ts'

export const jobAreas = [
  'seo-audits',
  'market-scans',
  'enrichment',
  'extraction',
  'ai-assistance',
] as const satisfies readonly AreaKey[]
export type JobArea = (typeof jobAreas)[number]

export type JobStatus = z.output<typeof jobStatus>

export interface SeoAuditOrder {
  readonly area: 'seo-audits'
  readonly siteUrl: string
  readonly strategy: 'mobile' | 'desktop'
  readonly pagesMost: number
  /** Browser sessions to work in; when one is lost, the next one is used. */
  readonly sessionIds: readonly SessionId[]
}

/** A job that runs as a web task. */
export interface WebTaskJobOrder {
  readonly area: WebTaskArea
  /** The request, as stored in the record. */
  readonly fields: RecordFields
  readonly taskId: string
  readonly task: TaskOrder
  /** For enrichment: the current values of the requested fields. */
  readonly current?: RecordFields
}
export type JobOrder = SeoAuditOrder | WebTaskJobOrder

export interface JobInput {
  /** The record's id. */
  readonly id: string
  readonly tenant: ClientId
  readonly createdAtMs: number
  readonly origin: ChangeOrigin
  readonly order: JobOrder
}

/** Times are wall-clock ms. The job's findings are in its record only. */
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
  /** The reply comes once the job's record exists. */
  created: queryVerb<JobReply>(),
  get: queryVerb<JobReply>(),
  /** Ends a job that has not ended; otherwise `invalid_transition`. */
  cancel: endVerb<JobReply, { readonly by: Author }>(),
  /** Sent by the actor of a session that the job works in. */
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
