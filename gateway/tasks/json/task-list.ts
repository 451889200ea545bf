/** Filters for lists of tasks. */
import { z } from 'zod'
import { taskStates, taskStatuses, taskStatusOf, type TaskView } from '../../../proto/task/task.ts'
import { longPageQuery } from '../../routing/answers/paging.ts'
import { pageOfFew, pageOfViews } from '../../routing/answers/view-page.ts'
import { facet } from '../../../runtime/actor/archive/archived-kind.ts'
import type { TasksBySession } from '../by-session.ts'
import type { TaskViews } from '../task-views.ts'

export const taskListQuery = z.strictObject({
  ...longPageQuery,
  status: z
    .enum([...taskStatuses, ...taskStates])
    .optional()
    .describe(
      'Only tasks with this status (RUNNING, COMPLETED, FAILED, CANCELLED) or exactly this ' +
        'state.',
    ),
  session_id: z.string().optional().describe('Only tasks of this session.'),
})

type TaskListQuery = z.infer<typeof taskListQuery>

/** A page of the tenant's tasks. */
export function pageOfTasks(
  { taskViews, tasksBySession }: TaskListDeps,
  tenant: string,
  query: TaskListQuery,
) {
  const { status, session_id: sessionId } = query
  const matches = ({ state }: TaskView) =>
    status === undefined || state === status || taskStatusOf(state) === status
  if (sessionId !== undefined) {
    const ofSession = tasksBySession.of(sessionId).filter((view) => view.tenant === tenant)
    return pageOfFew(ofSession.filter(matches), query)
  }
  if (status === undefined) return pageOfViews(taskViews, { tenant }, query)
  return pageOfViews(taskViews, { tenant, matches, facets: [facet('status', status)] }, query)
}

export interface TaskListDeps {
  readonly taskViews: TaskViews
  readonly tasksBySession: Pick<TasksBySession, 'of'>
}
