/** The filters, order and pages of a list of tasks: those of sessions, where they make sense. */
import { z } from 'zod'
import { limits } from '../../proto/limits.ts'
import { taskStatuses, taskStatusOf, type TaskView } from '../../proto/task.ts'
