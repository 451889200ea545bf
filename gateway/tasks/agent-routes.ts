/**
 * The contract's routes to the task of a session, addressed by the session instead of the task's
 * id, and the routes for questions that wait for a person.
 */
import { defined } from '../../proto/defined.ts'
import { z } from 'zod'
import { ServiceError } from '../../proto/errors.ts'
import type { TaskView } from '../../proto/task/task.ts'
import type { Principal } from '../routing/auth/auth.ts'
import { jsonRoute, type Route } from '../routing/route.ts'
import type { SessionService } from '../sessions/sessions.ts'
import { successJson } from '../sessions/session-json.ts'
import { questionData, questionJson } from './json/task-json.ts'
import type { TaskService } from './tasks.ts'
import type { RunningTasks } from './task-views.ts'
import { gatewayLimits } from '../limits.ts'

export interface AgentRouteDeps {
  readonly tasks: TaskService
  readonly runningTasks: RunningTasks
  readonly sessions: SessionService
}

const ofSession = z.object({ session_id: z.string() })
const path = '/v1/sessions/{session_id}/agent'

const requestsJson = z.object({
  data: z.object({
    count: z.number().int(),
    requests: z.array(
      questionJson.extend({
        requestId: z.string().describe('Same as id.'),
        session_id: z.string().optional(),
        task_id: z.string(),
      }),
    ),
  }),
})

const response = z
  .union([z.boolean(), z.string().max(gatewayLimits.answerChars)])
  .describe('For a question: the answer. For a confirmation: yes or no, as text or a boolean.')
const respondBody = z.object({ requestId: z.string(), response })

export function agentRoutes(deps: AgentRouteDeps): readonly Route[] {
  return [
    controlRoute(deps, 'pause', 'paused', {
      summary: 'Pause the task of this session.',
      description:
        'Same as `POST …/perform-web-task/{workflow_id}/pause`, for the task that runs in the ' +
        'session.',
    }),
    controlRoute(deps, 'resume', 'running', {
      summary: 'Resume the task of this session.',
      description:
        'Same as `POST …/perform-web-task/{workflow_id}/resume`, for the task that runs in the ' +
        'session.',
    }),
    ...questionRoutes(deps),
  ]
}

function controlRoute<S extends string>(
  { tasks, sessions }: AgentRouteDeps,
  type: 'pause' | 'resume',
  status: S,
  text: { readonly summary: string; readonly description: string },
): Route {
  return jsonRoute({
    method: 'POST',
    path: `${path}/${type}`,
    ...text,
    auth: 'key',
    scope: 'tasks',
    params: ofSession,
    response: z.object({ data: z.object({ status: z.literal(status), task_id: z.string() }) }),
    async handler({ caller, params }) {
      const { id } = await sessions.usable(caller, params.session_id)
      for (const atWork of tasks.ofSession(caller.tenant, id)) {
        if (!(await tellUnlessOver(tasks, atWork, type))) continue
        return { data: { status, task_id: atWork.id } }
      }
      throw new ServiceError('conflict', 'No task is running in this session.')
    },
  })
}

/**
 * Returns false if the task is over: its view may not show that yet, and the next task is tried.
 */
async function tellUnlessOver(
  tasks: TaskService,
  { id, tenant }: TaskView,
  type: 'pause' | 'resume',
): Promise<boolean> {
  try {
    await tasks.tell(tenant, id, { type })
    return true
  } catch (error) {
    if (error instanceof ServiceError && error.type === 'conflict') return false
    throw error
  }
}

function questionRoutes({ tasks, runningTasks, sessions }: AgentRouteDeps): readonly Route[] {
  return [
    jsonRoute({
      method: 'GET',
      path: `${path}/requested-human-intervention`,
      summary: 'List the open questions of the tasks of this session.',
      description: 'Returns questions and confirmations for which running tasks wait for a person.',
      auth: 'key',
      scope: 'tasks',
      params: ofSession,
      response: requestsJson,
      async handler({ caller, params }) {
        const { id } = await sessions.get(caller, params.session_id)
        return openRequestsJson(tasks.ofSession(caller.tenant, id))
      },
    }),
    jsonRoute({
      method: 'GET',
      path: '/v1/sessions/pending-interventions',
      summary: 'List the open questions of all your tasks.',
      description:
        'Returns the open questions of all sessions in one list, for example for a dashboard.',
      auth: 'key',
      scope: 'tasks',
      response: requestsJson,
      handler: ({ caller }) => openRequestsJson(runningTasks.ofTenant(caller.tenant)),
    }),
    jsonRoute({
      method: 'POST',
      path: `${path}/respond-to-human-intervention`,
      summary: 'Answer an open question of this session.',
      description: 'Send the answer to a question, or yes or no to a confirmation.',
      auth: 'key',
      scope: 'tasks',
      params: ofSession,
      body: respondBody,
      response: successJson,
      async handler({ caller, params, body }) {
        const { id } = await sessions.usable(caller, params.session_id)
        const asking = tasks
          .ofSession(caller.tenant, id)
          .find(({ question }) => question?.id === body.requestId)
        if (!asking)
          throw new ServiceError('not_found', 'There is no open question with this requestId.')
        await respond(tasks, caller, asking, body.response)
        return { data: { status: 'success' } }
      },
    }),
  ]
}

function openRequestsJson(views: readonly TaskView[]): z.infer<typeof requestsJson> {
  const requests = views.flatMap(({ id, sessionId, question }) => {
    if (!question) return []
    const of = { task_id: id, ...defined({ session_id: sessionId }) }
    return [{ ...questionData(question), requestId: question.id, ...of }]
  })
  return { data: { count: requests.length, requests } }
}

const yes = /^(y|yes|ok|okay|true|allow|approve|approved|continue)\W*$/i

/** For a question, a person's text is the answer; for a confirmation, it is read as yes or no. */
function respond(
  tasks: TaskService,
  caller: Principal,
  { id, question }: TaskView,
  response: string | boolean,
): Promise<TaskView> {
  const questionId = question!.id
  const text = String(response)
  if (question!.kind === 'question') return tasks.answer(caller, id, { questionId, text })
  const approve = yes.test(text.trim())
  const words = approve || typeof response === 'boolean' ? {} : { text }
  return tasks.answer(caller, id, { questionId, approve, ...words })
}
