/** `POST` and `GET /v1/workflow-actions/{id}/runs`, and `GET …/runs/{run}`. */
import { z } from 'zod'
import type { AreaAction, AreaKey } from '../../../proto/access/areas/areas.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { jsonRoute, type Route } from '../../routing/route.ts'
import type { GrantedAccess } from '../gate/access.ts'
import type { AccessCaller } from '../../routing/auth/access-caller.ts'
import { dataJson, pageJson } from '../../routing/schemas/access-json.ts'
import { anyoneRule } from '../../routing/auth/access-rule.ts'
import { runData, runJson } from './status.ts'
import type { WorkflowRuns } from './runs.ts'
import { ofId, entityPageOf } from '../governance/entity-routes.ts'

export interface WorkflowRunRouteDeps {
  readonly runs: WorkflowRuns
  readonly authorize: (caller: AccessCaller, area: AreaKey, action: AreaAction) => GrantedAccess
}

const area = 'workflow-actions'
const path = `/v1/${area}/{id}/runs`
const runBody = z.strictObject({
  input: z
    .record(z.string(), z.json())
    .default({})
    .describe(
      'It must fit the inputs_schema of the action. Where its template changes a record, ' +
        'target_id names it; the other values are what is written.',
    ),
})
const runsQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(limits.listRowsMost).default(limits.listRows),
  cursor: z.string().optional(),
})
const shared = { auth: 'access' } as const
const toRead = { ...shared, access: { ...anyoneRule, area, action: 'read' } } as const

export const workflowRunRoutes = (deps: WorkflowRunRouteDeps): readonly Route[] => [
  orderRoute(deps),
  ...readRoutes(deps),
]

const orderRoute = ({ runs, authorize }: WorkflowRunRouteDeps): Route =>
  jsonRoute({
    ...shared,
    method: 'POST',
    path,
    summary:
      'Workflow actions: run one that is pre-approved, as a standard change by its template.',
    description: 'Answers with the run; the workflow itself is started where it lives.',
    access: { ...anyoneRule, area, action: 'run' },
    status: 202,
    makes: true,
    params: ofId,
    body: runBody,
    response: dataJson(runJson),
    async handler({ caller, params, body }) {
      const access = authorize(caller, area, 'run')
      return { data: runData(await runs.order(access, params.id, body.input)) }
    },
    headers: ({ data }) => ({ location: `/v1/${area}/${data.action_id}/runs/${data.id}` }),
  })

const readRoutes = ({ runs, authorize }: WorkflowRunRouteDeps): readonly Route[] => [
  jsonRoute({
    ...toRead,
    method: 'GET',
    path,
    summary: 'Workflow actions: the runs of one, newest first.',
    description: 'With the state of each.',
    params: ofId,
    query: runsQuery,
    response: pageJson(runJson),
    async handler({ caller, params, query: { limit, cursor } }) {
      const found = await runs.list(authorize(caller, area, 'read'), params.id)
      return entityPageOf(found, { limit, cursor, kind: 'change' }, runData)
    },
  }),
  jsonRoute({
    ...toRead,
    method: 'GET',
    path: `${path}/{run}`,
    summary: 'Workflow actions: one run, and who has to act next while it waits.',
    description: 'With the change that carries it.',
    params: z.object({ id: z.string(), run: z.string() }),
    response: dataJson(runJson),
    async handler({ caller, params }) {
      return {
        data: runData(await runs.get(authorize(caller, area, 'read'), params.id, params.run)),
      }
    },
  }),
]
