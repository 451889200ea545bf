/** The views of tasks in a gateway. */
import type { TaskView } from '../../proto/task/task.ts'
import type { RunningViews } from '../routing/running-views.ts'
import type { KeptViews } from '../../runtime/actor/kept-views.ts'

export type TaskViews = KeptViews<TaskView>

export type RunningTasks = RunningViews<TaskView>
