/** `POST` and `GET /v1/workflow-actions/{id}/runs`, and `GET …/runs/{run}`. */
import { z } from 'zod'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { jsonRoute, type Route } from '../../routing/route.ts'
import { grantingCaller, type AuthorizeCaller } from '../gate/access.ts'
import { dataJson, pageJson } from '../../routing/schemas/access-json.ts'
import { runData, runJson } from './status.ts'
import type { WorkflowRuns } from './runs.ts'
import { ofId, entityPageOf } from '../governance/entity-routes.ts'

export interface WorkflowRunRouteDeps {
  readonly runs: WorkflowRuns
  readonly authorize: AuthorizeCaller
}

const area = 'workflow-actions'
const path = `/v1/${area}/{id}/runs`
const runBody = z.strictObject({
  input: z
    .record(z.string(), z.json())
    .default({})
    .describe(
      'Must match the inputs_schema of the action. If its template changes a record, target_id ' +
        'is the id of that record and the other values are written to it.',
    ),
})
const runsQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(limits.listRowsMost).default(limits.listRows),
  cursor: z.string().optional(),
})
export const workflowRunRoutes = (deps: WorkflowRunRouteDeps): readonly Route[] => [
  orderRoute(deps),
  ...readRoutes(deps),
]

const orderRoute = ({ runs, authorize }: WorkflowRunRouteDeps): Route =>
  jsonRoute({
    method: 'POST',
    path,
    summary: 'Workflow actions: run a pre-approved action, as a standard change with its template.',
    description: 'Returns the run. People carry it out: `waits_for` says who must act next.',
    auth: 'access',
    access: grantingCaller(authorize, area, 'run'),
    status: 202,
    makes: true,
    params: ofId,
    body: runBody,
    response: dataJson(runJson),
    async handler({ granted, params, body }) {
      return { data: runData(await runs.order(granted, params.id, body.input)) }
    },
    headers: ({ data }) => ({ location: `/v1/${area}/${data.action_id}/runs/${data.id}` }),
  })

const readRoutes = ({ runs, authorize }: WorkflowRunRouteDeps): readonly Route[] => [
  jsonRoute({
    method: 'GET',
    auth: 'access',
    access: grantingCaller(authorize, area, 'read'),
    path,
    summary: 'Workflow actions: list the runs of an action, newest first.',
    description: 'Each with its status.',
    params: ofId,
    query: runsQuery,
    response: pageJson(runJson),
    async handler({ granted, params, query: { limit, cursor } }) {
      const found = await runs.list(granted, params.id)
      return entityPageOf(found, { limit, cursor, kind: 'change' }, runData)
    },
  }),
  jsonRoute({
    method: 'GET',
    auth: 'access',
    access: grantingCaller(authorize, area, 'read'),
    path: `${path}/{run}`,
    summary: 'Workflow actions: get a run, and who must act next while it waits.',
    description: 'The id of a run is also the id of the change that carries it out.',
    params: z.object({ id: z.string(), run: z.string() }),
    response: dataJson(runJson),
    async handler({ granted, params }) {
      return { data: runData(await runs.get(granted, params.id, params.run)) }
    },
  }),
]
