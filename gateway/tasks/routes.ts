/** Web tasks: a goal in words, its result, and the record of each step. */
import { z } from 'zod'
import { taskBody } from '../../proto/task/task.ts'
import { pageOfRows } from '../routing/answers/paging.ts'
import { jsonRoute, rawRoute, type Route } from '../routing/route.ts'
import type { TaskRecords } from './records.ts'
import {
  startedJson,
  statusData,
  statusJson,
  taskData,
  taskFailed,
  taskJson,
  taskListJson,
  taskRow,
  waitOf,
} from './json/task-json.ts'
import { filterTasks, taskListQuery } from './json/task-list.ts'
import { stepListJson } from './json/step-json.ts'
import type { TaskService } from './tasks.ts'
import type { TaskViews } from './task-views.ts'
import { gatewayLimits } from '../limits.ts'
import { taskFeedLimits } from './limits.ts'

export interface TaskRouteDeps {
  readonly tasks: TaskService
  readonly taskViews: TaskViews
  readonly records: TaskRecords
}

const all = '/v1/tools/perform-web-task'
const one = `${all}/{workflow_id}`
const ofTask = z.object({ workflow_id: z.string() })
const ofStep = ofTask.extend({ n: z.coerce.number().int().min(1) })

export function taskRoutes(deps: TaskRouteDeps): readonly Route[] {
  return [startRoute(deps), ...readRoutes(deps), ...stepRoutes(deps), ...controlRoutes(deps)]
}

function startRoute({ tasks }: TaskRouteDeps): Route {
  return jsonRoute({
    method: 'POST',
    path: all,
    audit: 'task.create',
    about: ({ data }) => ({ task_id: data.id }),
    summary:
      'Have a goal reached in a browser. Waits until it is, unless async; leaving cancels it.',
    description:
      'Needs an account with the provider (`PUT /v1/credentials/{provider}`). With ' +
      '`output_schema` the result has exactly that form. A held request whose task runs for ' +
      'minutes gets its status line early, so a late failure is an `error` in a body with ' +
      'status 200.',
    auth: 'key',
    scope: 'tasks',
    isHeld: true,
    makes: true,
    query: z.object({
      sessionId: z.string().optional().describe('Else one is made for the task.'),
    }),
    body: taskBody,
    response: startedJson,
    async handler({ caller, query, body, request, attempt }) {
      const task =
        (await tasks.findStarted(caller, attempt)) ??
        (await tasks.create(caller, body, query.sessionId, attempt))
      const { id } = task
      if (body.async) return { data: { id, workflow_id: id, status: 'running' as const } }
      const view = await tasks.outcome(task, request.gone)
      if (view.state !== 'completed') throw taskFailed(view)
      return { data: { id, workflow_id: id, result: view.result ?? {} } }
    },
  })
}

function readRoutes({ tasks, taskViews }: TaskRouteDeps): readonly Route[] {
  return [
    jsonRoute({
      method: 'GET',
      path: all,
      summary: 'List tasks, those that are over too while they are kept.',
      description:
        'A page of your tasks, by state and session; kept for a week after they are over.',
      auth: 'key',
      scope: 'tasks',
      query: taskListQuery,
      response: taskListJson,
      handler({ caller, query }) {
        const { rows, counts } = pageOfRows(
          filterTasks(taskViews.list(caller.tenant), query),
          query,
        )
        return { data: { tasks: rows.map(taskRow), ...counts } }
      },
    }),
    jsonRoute({
      method: 'GET',
      path: one,
      summary: 'One task: where it is, what it has used, and what came of it.',
      description:
        'Its state in words, steps, tokens, cost, an open question, and the result or the ' +
        'error.',
      auth: 'key',
      scope: 'tasks',
      params: ofTask,
      response: taskJson,
      handler: async ({ caller, params }) => taskData(await tasks.get(caller, params.workflow_id)),
    }),
    jsonRoute({
      method: 'GET',
      path: `${one}/status`,
      summary: 'Whether a task runs, and its result or error.',
      description: 'The short form for polling: `RUNNING`, `COMPLETED`, `FAILED` or `CANCELLED`.',
      auth: 'key',
      scope: 'tasks',
      params: ofTask,
      response: statusJson,
      handler: async ({ caller, params }) =>
        statusData(await tasks.get(caller, params.workflow_id)),
    }),
  ]
}

function stepRoutes({ tasks, records }: TaskRouteDeps): readonly Route[] {
  return [
    jsonRoute({
      method: 'GET',
      path: `${one}/steps`,
      summary: 'What a task did, step by step: the page, the reason, the actions, tokens and time.',
      description:
        '`since` continues after a step that you know. The WebSocket `/ws` sends the same ' +
        'records as they happen.',
      auth: 'key',
      scope: 'tasks',
      params: ofTask,
      query: z.strictObject({
        since: z.coerce.number().int().min(0).default(0).describe('Steps after this number.'),
        limit: z.coerce
          .number()
          .int()
          .min(1)
          .max(taskFeedLimits.stepsPerPageMax)
          .default(taskFeedLimits.stepsPerPage),
      }),
      response: stepListJson,
      async handler({ caller, params, query }) {
        const view = await tasks.get(caller, params.workflow_id)
        const steps = await records.steps(view.id, query.since, query.limit)
        return { data: { steps: [...steps], total: view.steps, ...waitOf(view) } }
      },
    }),
    rawRoute({
      method: 'GET',
      path: `${one}/steps/{n}/screenshot`,
      summary: 'What the page looked like when a step was decided upon.',
      description: 'As JPEG, as the model was shown it. Kept as long as the task.',
      auth: 'key',
      scope: 'tasks',
      params: ofStep,
      contentType: 'image/jpeg',
      async handler({ caller, params }) {
        const { id } = await tasks.get(caller, params.workflow_id)
        const { type, bytes } = await records.picture(id, params.n)
        const headers = { 'content-type': type, 'cache-control': 'private, max-age=3600' }
        return { status: 200, headers, body: bytes }
      },
    }),
  ]
}

const answerBody = z.object({
  question_id: z.string().optional().describe('The one that is open, when absent.'),
  text: z.string().max(gatewayLimits.answerChars).optional().describe('What a question wants.'),
  approve: z.boolean().optional().describe('What a confirmation wants.'),
})

function controlRoutes({ tasks }: TaskRouteDeps): readonly Route[] {
  const control = (type: 'pause' | 'resume', summary: string, description: string) =>
    jsonRoute({
      method: 'POST',
      path: `${one}/${type}`,
      summary,
      description,
      auth: 'key',
      scope: 'tasks',
      params: ofTask,
      response: taskJson,
      handler: async ({ caller, params }) =>
        taskData(await tasks.tell(caller.tenant, params.workflow_id, { type })),
    })
  return [
    jsonRoute({
      method: 'POST',
      path: `${one}/cancel`,
      audit: 'task.cancel',
      summary: 'Stop a task for good, within a second. One that is over stays as it is.',
      description: 'A session that was made for the task ends; one of yours stays.',
      auth: 'key',
      scope: 'tasks',
      params: ofTask,
      response: taskJson,
      handler: async ({ caller, params }) =>
        taskData(await tasks.cancel(caller, params.workflow_id)),
    }),
    control(
      'pause',
      'Let a task rest before the next thing it would do.',
      'A person can use its session meanwhile.',
    ),
    control('resume', 'Let a paused task go on.', 'It looks at the page again before it decides.'),
    jsonRoute({
      method: 'POST',
      path: `${one}/answer`,
      summary: 'Answer what a task asks: text for a question, approve for a confirmation.',
      description:
        'The task goes on with the answer. A confirmation that is not approved is told to the ' +
        'model with your text.',
      auth: 'key',
      scope: 'tasks',
      params: ofTask,
      body: answerBody,
      response: taskJson,
      handler: async ({ caller, params, body }) => {
        const { question_id: questionId, ...words } = body
        return taskData(await tasks.answer(caller, params.workflow_id, { ...words, questionId }))
      },
    }),
  ]
}
