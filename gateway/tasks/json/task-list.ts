/** Filters for lists of tasks. */
import { z } from 'zod'
import { taskStates, taskStatuses, taskStatusOf, type TaskView } from '../../../proto/task/task.ts'
import { pageQuery } from '../../routing/answers/paging.ts'

export const taskListQuery = z.strictObject({
  ...pageQuery,
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

export function filterTasks(views: readonly TaskView[], query: TaskListQuery): readonly TaskView[] {
  const { status, session_id: sessionId } = query
  return views.filter(
    ({ state, ...view }) =>
      (status === undefined || state === status || taskStatusOf(state) === status) &&
      (sessionId === undefined || view.sessionId === sessionId),
  )
}
