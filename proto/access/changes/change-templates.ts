/**
 * Standard changes: frequent work with little risk and a known way back. A template states exactly
 * what such a change may write, and who pre-approved all changes of this kind.
 */
import { z } from 'zod'
import type { TechnicalArea } from '../areas/areas.ts'

export interface ChangeTemplate {
  readonly id: string
  readonly title: string
  readonly about: string
  readonly kind: 'record_patch' | 'deployment' | 'domain' | 'monitoring' | 'workflow' | 'other'
  readonly area: TechnicalArea
  /** `none`: the work is done outside the service, so no record is written. */
  readonly operation: 'create' | 'update' | 'none'
  /** The fields that the patch may set; any other patch needs a normal change. */
  readonly patch: z.ZodObject
  readonly risk: 'low'
  readonly test_plan: string
  readonly rollback_plan: string
  /** The approval of the template, which a standard change cites instead of its own reviews. */
  readonly approval: string
}

const approval = 'Approved with the release of the service that it comes with.'
const low = { risk: 'low', approval } as const
const text = z.string().min(1)
/** Used only together with a workflow run: the template itself does not say what to do. */
export const workflowRun = 'workflow-run'

export const changeTemplates: readonly ChangeTemplate[] = [
  {
    ...low,
    id: 'monitor-interval',
    title: 'Ask a monitored target more or less often',
    about: 'The interval of one monitor, from a minute to an hour. Only the monitor is affected.',
    ...{ kind: 'monitoring', area: 'monitoring', operation: 'update' },
    patch: z.strictObject({ interval_s: z.int().min(60).max(3_600) }),
    test_plan: 'The next check comes after the new interval.',
    rollback_plan: 'Set the interval back by the same template.',
  },
  {
    ...low,
    id: 'monitor-pause',
    title: 'Pause a monitor, or let it go on',
    about: 'A paused monitor raises no incident, so a planned outage is not counted.',
    ...{ kind: 'monitoring', area: 'monitoring', operation: 'update' },
    patch: z.strictObject({ status: z.enum(['paused', 'unknown']) }),
    test_plan: 'The status of the monitor says paused, or is set again by the next check.',
    rollback_plan: 'Set the status back by the same template.',
  },
  {
    ...low,
    id: 'domain-auto-renew',
    title: 'Renew a domain by itself',
    about: 'Switches automatic renewal on, so that the domain does not run out.',
    ...{ kind: 'domain', area: 'domains', operation: 'update' },
    patch: z.strictObject({ auto_renew: z.literal(true) }),
    test_plan: 'The registrar shows automatic renewal as on.',
    rollback_plan: 'Switch it off at the registrar, by a normal change.',
  },
  {
    ...low,
    id: 'deploy-to-staging',
    title: 'Deploy a release to development or staging',
    about: 'A release goes where no customer of the client sees it.',
    ...{ kind: 'deployment', area: 'deployments', operation: 'create' },
    patch: z.strictObject({
      environment: z.enum(['development', 'staging']),
      release: text,
      project_id: text.optional(),
      commit_sha: text.optional(),
      notes: text.optional(),
      url: text.optional(),
      status: z.enum(['succeeded', 'failed']).optional(),
      started_at: text.optional(),
      finished_at: text.optional(),
    }),
    test_plan: 'The start page and the sign-in of the environment work.',
    rollback_plan: 'Deploy the release before it by the same template.',
  },
  {
    ...low,
    id: 'project-progress',
    title: 'Say how a project stands',
    about: 'The health and the milestones of a project. Nothing is changed outside of its record.',
    ...{ kind: 'record_patch', area: 'projects', operation: 'update' },
    patch: z.strictObject({
      health: z.enum(['on_track', 'at_risk', 'off_track']).optional(),
      milestones: z.array(z.json()).optional(),
    }),
    test_plan: 'The record reads as the project stands.',
    rollback_plan: 'Set the record back by the same template.',
  },
  {
    ...low,
    id: 'workflow-off',
    title: 'Switch a workflow action off',
    about: 'It cannot be run until a normal change switches it on again.',
    ...{ kind: 'workflow', area: 'workflow-actions', operation: 'update' },
    patch: z.strictObject({ enabled: z.literal(false) }),
    test_plan: 'A run of the action is refused.',
    rollback_plan: 'Switch it on again by a normal change.',
  },
  {
    ...low,
    id: workflowRun,
    title: 'Carry out a run of a workflow action',
    about: 'What the action says is done with the input of the run, outside of the records.',
    ...{ kind: 'other', area: 'workflow-actions', operation: 'none' },
    patch: z.strictObject({}),
    test_plan: 'The evidence shows what the run brought.',
    rollback_plan: 'As the description of the action says.',
  },
]

export const changeTemplate = (id: string): ChangeTemplate | undefined =>
  changeTemplates.find((template) => template.id === id)

/** Whether people may request it. The other templates are used only with a workflow run. */
export const isRequestable = ({ operation }: ChangeTemplate): boolean => operation !== 'none'
