/** Actions of the console on a task, through the REST routes. */
import { isId } from '../../../../../proto/ids.ts'
import type { TaskView } from '../../../../../proto/task/task.ts'
import { noSuchTask } from '../../../../tasks/tasks.ts'
import type { ConsoleNotice } from '../../../html/notices.ts'
import { readTrace } from '../../../html/trace-links.tsx'
import type { ConsoleFile, ConsoleRedirect } from '../../../page.ts'
import type { ConsoleVisit } from '../../../visit.ts'

const one = '/v1/tools/perform-web-task/{workflow_id}'

/**
 * The task in the path, as its actor reports it, because views lag behind an action. Throws
 * `not_found` for a task that this key may not see.
 */
export async function taskOfPath(visit: ConsoleVisit): Promise<TaskView> {
  const id = visit.param('id')
  if (!isId('tsk', id)) throw noSuchTask()
  const { tenant } = visit.facts.principal
  return visit.deps.tasks.get(visit.isAdmin ? {} : { tenant }, id)
}

type Verb = 'answer' | 'cancel' | 'pause' | 'resume'

async function tell(
  visit: ConsoleVisit,
  verb: Verb,
  notice: ConsoleNotice,
  body?: object,
): Promise<ConsoleRedirect> {
  const { id, tenant } = await taskOfPath(visit)
  const call = { params: { workflow_id: id }, ...(body && { body }) }
  await visit.do(`POST ${one}/${verb}`, call, tenant)
  return { to: visit.at(`/tasks/${id}`), notice }
}

export const cancelTask = (visit: ConsoleVisit) => tell(visit, 'cancel', 'task-cancelled')
export const pauseTask = (visit: ConsoleVisit) => tell(visit, 'pause', 'task-paused')
export const resumeTask = (visit: ConsoleVisit) => tell(visit, 'resume', 'task-resumed')

/**
 * The answer to a question is the text; to a confirmation, yes or no with an optional text for the
 * model.
 */
export function answerTask(visit: ConsoleVisit): Promise<ConsoleRedirect> {
  const { form } = visit
  const text = form.given('text')
  const approve = form.given('approve')
  return tell(visit, 'answer', 'task-answered', {
    question_id: form.text('question_id'),
    ...(text !== undefined && { text }),
    ...(approve !== undefined && { approve: approve === 'yes' }),
  })
}

/** The steps, with the commands if the session was traced. */
export async function readTaskTrace(visit: ConsoleVisit): Promise<ConsoleFile> {
  const { id, tenant } = await taskOfPath(visit)
  return readTrace(visit, `GET ${one}/trace`, { workflow_id: id }, tenant)
}

/** The screenshot that the model was shown at a step. */
export async function readStepPicture(visit: ConsoleVisit): Promise<ConsoleFile> {
  const { id, tenant } = await taskOfPath(visit)
  const params = { workflow_id: id, n: visit.param('n') }
  return { file: await visit.file(`GET ${one}/steps/{n}/screenshot`, { params }, tenant) }
}
