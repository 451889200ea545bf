/** Derives the state of a run from the change that carries it out. Pure. */
import { z } from 'zod'
import type { ChangeStatus, ChangeView } from '../../../proto/access/changes/change.ts'
import type { ChangeRun, ChangeTerms } from '../../../proto/access/changes/change-terms.ts'
import { authorData, authorJson, isoTime, timeJson } from '../../routing/schemas/access-json.ts'

/** A change that carries out a run. */
export interface RunView extends ChangeView {
  readonly terms: ChangeTerms & { readonly run: ChangeRun }
}

const runStatuses = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const
export type RunStatus = (typeof runStatuses)[number]

const statusOf: Readonly<Record<ChangeStatus, RunStatus>> = {
  draft: 'queued',
  checking: 'queued',
  proposed: 'queued',
  reviewed: 'queued',
  returned: 'queued',
  approved: 'queued',
  booking: 'queued',
  scheduled: 'queued',
  in_progress: 'running',
  applying: 'running',
  done: 'succeeded',
  failed: 'failed',
  rolled_back: 'failed',
  rejected: 'failed',
  cancelled: 'cancelled',
}

export const isQueued = ({ status }: RunView): boolean => statusOf[status] === 'queued'

export const runJson = z.object({
  id: z.string().describe('The id of the run and of the change that carries it out.'),
  action_id: z.string(),
  status: z.enum(runStatuses),
  input: z.record(z.string(), z.unknown()),
  output: z
    .object({
      evidence: z.array(z.string()),
      notes: z.string(),
      record: z
        .object({ area: z.string(), id: z.string(), version: z.int() })
        .optional()
        .describe('The record that was written, and its new version.'),
    })
    .nullable()
    .describe('What the implementer reported; null unless the run succeeded.'),
  error: z.string().nullable().describe('Why the run failed or was cancelled.'),
  waits_for: z
    .string()
    .nullable()
    .describe('Who must act next, and how; null once the run has ended.'),
  requested_by: authorJson,
  requested_at: timeJson,
  started_at: timeJson.nullable(),
  finished_at: timeJson.nullable(),
  change_status: z.string(),
})

export function runData(run: RunView): z.output<typeof runJson> {
  const { id, terms, message, startedAtMs, updatedAtMs, proposedBy, createdAtMs } = run
  const status = statusOf[run.status]
  const isOver = status !== 'queued' && status !== 'running'
  return {
    ...{ id, action_id: terms.run.actionId, status },
    input: { ...terms.run.input },
    output: status === 'succeeded' ? outputOf(run) : null,
    error: isOver && status !== 'succeeded' ? message : null,
    waits_for: waitsFor(run),
    requested_by: authorData(proposedBy),
    requested_at: isoTime(createdAtMs),
    started_at: startedAtMs === undefined || status === 'queued' ? null : isoTime(startedAtMs),
    finished_at: isOver ? isoTime(updatedAtMs) : null,
    change_status: run.status,
  }
}

function outputOf({ result, applied, terms: { work } }: RunView) {
  const record = applied && work.does !== 'nothing' && { area: work.on, ...applied }
  return {
    evidence: [...(result?.evidence ?? [])],
    notes: result?.notes ?? '',
    ...(record && { record }),
  }
}

function waitsFor({ id, status, window, implementer }: RunView): string | null {
  const doer = 'an operator or a change manager'
  const one = `/v1/changes/${id}`
  switch (status) {
    case 'done':
    case 'failed':
    case 'rolled_back':
    case 'rejected':
    case 'cancelled':
      return null
    case 'scheduled': {
      const at = window ? ` from ${isoTime(window.startMs)} to ${isoTime(window.endMs)}` : ''
      return `${doer} starts it in its window${at} (POST ${one}/start)`
    }
    case 'in_progress':
    case 'applying':
      return `${implementer?.id ?? doer} reports the outcome (POST ${one}/complete or fail)`
    default:
      return `${doer} schedules it (POST ${one}/schedule)`
  }
}
