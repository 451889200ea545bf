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

const approval = 'Approved in advance, with the release of the service that contains it.'
const low = { risk: 'low', approval } as const
const text = z.string().min(1)
/** Used only together with a workflow run: the template itself does not say what to do. */
const workflowRun = 'workflow-run'

export const changeTemplates: readonly ChangeTemplate[] = [
  {
    ...low,
    id: 'monitor-interval',
    title: 'Change how often a monitor checks its target',
    about: 'Sets the interval of one monitor, from 1 minute to 1 hour. Nothing else is affected.',
    ...{ kind: 'monitoring', area: 'monitoring', operation: 'update' },
    patch: z.strictObject({ interval_s: z.int().min(60).max(3_600) }),
    test_plan: 'The next check runs after the new interval.',
    rollback_plan: 'Restore the previous interval with the same template.',
  },
  {
    ...low,
    id: 'monitor-pause',
    title: 'Pause or resume a monitor',
    about: 'A paused monitor raises no incident, so a planned outage is not counted.',
    ...{ kind: 'monitoring', area: 'monitoring', operation: 'update' },
    patch: z.strictObject({ status: z.enum(['paused', 'unknown']) }),
    test_plan: 'The status of the monitor is `paused`, or the next check sets it again.',
    rollback_plan: 'Restore the previous status with the same template.',
  },
  {
    ...low,
    id: 'domain-auto-renew',
    title: 'Turn on automatic renewal of a domain',
    about: 'Turns on automatic renewal, so that the domain does not expire.',
    ...{ kind: 'domain', area: 'domains', operation: 'update' },
    patch: z.strictObject({ auto_renew: z.literal(true) }),
    test_plan: 'The registrar shows that automatic renewal is on.',
    rollback_plan: 'Turn it off at the registrar, with a normal change.',
  },
  {
    ...low,
    id: 'deploy-to-staging',
    title: 'Deploy a release to development or staging',
    about: 'Deploys a release where no customer of the client sees it.',
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
    rollback_plan: 'Deploy the previous release with the same template.',
  },
  {
    ...low,
    id: 'project-progress',
    title: 'Update the health and milestones of a project',
    about: 'Changes only the record of the project, nothing outside of it.',
    ...{ kind: 'record_patch', area: 'projects', operation: 'update' },
    patch: z.strictObject({
      health: z.enum(['on_track', 'at_risk', 'off_track']).optional(),
      milestones: z.array(z.json()).optional(),
    }),
    test_plan: 'The record matches the state of the project.',
    rollback_plan: 'Restore the previous values with the same template.',
  },
  {
    ...low,
    id: 'workflow-off',
    title: 'Disable a workflow action',
    about: 'The action cannot be run until a normal change enables it again.',
    ...{ kind: 'workflow', area: 'workflow-actions', operation: 'update' },
    patch: z.strictObject({ enabled: z.literal(false) }),
    test_plan: 'A run of the action is refused.',
    rollback_plan: 'Enable it again with a normal change.',
  },
  {
    ...low,
    id: workflowRun,
    title: 'Carry out a run of a workflow action',
    about:
      'Carries out what the action describes, with the input of the run. No record is written.',
    ...{ kind: 'other', area: 'workflow-actions', operation: 'none' },
    patch: z.strictObject({}),
    test_plan: 'The evidence shows the result of the run.',
    rollback_plan: 'As described in the action.',
  },
]

export const changeTemplate = (id: string): ChangeTemplate | undefined =>
  changeTemplates.find((template) => template.id === id)

/** Whether people may request it. The other templates are used only with a workflow run. */
export const isRequestable = ({ operation }: ChangeTemplate): boolean => operation !== 'none'
