/** Web tasks: a goal in words, its result, and the record of each step. */
import { z } from 'zod'
import { taskBody } from '../../proto/task/task.ts'
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
import { pageOfTasks, taskListQuery, type TaskListDeps } from './json/task-list.ts'
import { stepListJson } from './json/step-json.ts'
import type { SessionViews } from '../sessions/session-views.ts'
import type { TaskService } from './tasks.ts'
import { gatewayLimits } from '../limits.ts'
import { taskFeedLimits } from './limits.ts'

export interface TaskRouteDeps extends TaskListDeps {
  readonly tasks: TaskService
  readonly records: TaskRecords
  /** Of sessions. */
  readonly views: Pick<SessionViews, 'get'>
}

const all = '/v1/tools/perform-web-task'
const one = `${all}/{workflow_id}`
const ofTask = z.object({ workflow_id: z.string() })
const ofStep = ofTask.extend({ n: z.coerce.number().int().min(1) })

export function taskRoutes(deps: TaskRouteDeps): readonly Route[] {
  return [startRoute(deps), ...readRoutes(deps), ...stepRoutes(deps), ...controlRoutes(deps)]
}

function startRoute({ tasks, views }: TaskRouteDeps): Route {
  return jsonRoute({
    method: 'POST',
    path: all,
    audit: 'task.create',
    about: ({ data }) => ({ task_id: data.id }),
    summary:
      'Start a web task. Waits for the result, unless async; disconnecting cancels the task.',
    description:
      'An AI model reaches the goal in a browser. Requires an account with the provider (`PUT ' +
      '/v1/credentials/{provider}`). With `output_schema` the result matches that schema. If ' +
      'a task runs for minutes, the waiting request gets its status line early, so a later ' +
      'failure is an `error` in a body with status 200.',
    auth: 'key',
    scope: 'tasks',
    isHeld: true,
    makes: true,
    query: z.object({
      sessionId: z
        .string()
        .optional()
        .describe('Session to run in. If absent, a session is created for the task.'),
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
      if (view.state !== 'completed') throw taskFailed(view, views)
      return { data: { id, workflow_id: id, result: view.result ?? {} } }
    },
  })
}

function readRoutes({ tasks, views, ...lists }: TaskRouteDeps): readonly Route[] {
  return [
    jsonRoute({
      method: 'GET',
      path: all,
      summary: 'List tasks, including ended ones that are still kept.',
      description:
        'Returns a page of your tasks, filtered by status and session. Ended tasks are kept ' +
        'for 7 days by default.',
      auth: 'key',
      scope: 'tasks',
      query: taskListQuery,
      response: taskListJson,
      handler({ caller, query }) {
        const { rows, counts } = pageOfTasks(lists, caller.tenant, query)
        return { data: { tasks: rows.map(taskRow), ...counts } }
      },
    }),
    jsonRoute({
      method: 'GET',
      path: one,
      summary: 'Get a task, with its progress, usage and result.',
      description:
        'Returns its state, steps, tokens, cost, open question, and the result or error.',
      auth: 'key',
      scope: 'tasks',
      params: ofTask,
      response: taskJson,
      handler: async ({ caller, params }) =>
        taskData(await tasks.get(caller, params.workflow_id), views),
    }),
    jsonRoute({
      method: 'GET',
      path: `${one}/status`,
      summary: 'Get the status of a task, with its result or error.',
      description: 'A short form for polling: `RUNNING`, `COMPLETED`, `FAILED` or `CANCELLED`.',
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
      summary: 'List the steps of a task, with page, reason, actions, tokens and times.',
      description:
        'Use `since` to continue after the last step that you have. The WebSocket `/ws` sends ' +
        'the same records as they happen.',
      auth: 'key',
      scope: 'tasks',
      params: ofTask,
      query: z.strictObject({
        since: z.coerce.number().int().min(0).default(0).describe('Only steps after this number.'),
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
      summary: 'Get the screenshot of the page on which a step was decided.',
      description: 'A JPEG. Kept as long as the task.',
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
  question_id: z.string().optional().describe('If absent, the open question.'),
  text: z.string().max(gatewayLimits.answerChars).optional().describe('The answer to a question.'),
  approve: z.boolean().optional().describe('The answer to a confirmation.'),
})

function controlRoutes({ tasks, views }: TaskRouteDeps): readonly Route[] {
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
        taskData(await tasks.tell(caller.tenant, params.workflow_id, { type }), views),
    })
  return [
    jsonRoute({
      method: 'POST',
      path: `${one}/cancel`,
      audit: 'task.cancel',
      summary: 'Cancel a task. A task that has ended stays unchanged.',
      description: 'A session that was created for the task ends; your own session continues.',
      auth: 'key',
      scope: 'tasks',
      params: ofTask,
      response: taskJson,
      handler: async ({ caller, params }) =>
        taskData(await tasks.cancel(caller, params.workflow_id), views),
    }),
    control(
      'pause',
      'Pause a task before its next action.',
      'Meanwhile, a person can use its session.',
    ),
    control(
      'resume',
      'Resume a paused task.',
      'The task looks at the page again before it decides.',
    ),
    jsonRoute({
      method: 'POST',
      path: `${one}/answer`,
      summary:
        'Answer the open question of a task: text for a question, approve for a confirmation.',
      description:
        'The task continues with the answer. If you do not approve a confirmation, the model ' +
        'is told so, with your text.',
      auth: 'key',
      scope: 'tasks',
      params: ofTask,
      body: answerBody,
      response: taskJson,
      handler: async ({ caller, params, body }) => {
        const { question_id: questionId, ...words } = body
        const view = await tasks.answer(caller, params.workflow_id, { ...words, questionId })
        return taskData(view, views)
      },
    }),
  ]
}
