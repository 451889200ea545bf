/** The views of tasks in a gateway. */
import type { TaskView } from '../../proto/task/task.ts'
import type { RunningViews } from '../routing/running-views.ts'
import type { ViewIndex } from '../../runtime/actor/views.ts'

export type TaskViews = Pick<ViewIndex<TaskView>, 'get' | 'list' | 'all' | 'learn' | 'onChange'>

export type RunningTasks = RunningViews<TaskView>
