/** Parses from the URL which tasks a list shows. */
import { isTaskOver, type TaskView } from '../../../../../proto/task/task.ts'
import { consoleLimits } from '../../../limits.ts'
import {
  consoleListQuery,
  hasWords,
  rowsOfPage,
  visibleViews,
  type ConsoleListPage,
  type ConsoleListQuery,
  type VisibleViews,
} from '../../../lists/list-query.ts'
import type { ConsoleVisit } from '../../../visit.ts'
import { taskReasonWord, taskStateWord } from '../task-words.ts'

const isIn = {
  all: () => true,
  active: ({ state }: TaskView) => !isTaskOver(state),
  asking: ({ state }: TaskView) => state === 'asking',
  completed: ({ state }: TaskView) => state === 'completed',
  failed: ({ state }: TaskView) => state === 'failed' || state === 'timed_out',
  cancelled: ({ state }: TaskView) => state === 'cancelled',
} as const

export type TaskShow = keyof typeof isIn
const taskShows = Object.keys(isIn) as [TaskShow, ...TaskShow[]]

export interface TaskQuery extends ConsoleListQuery<TaskShow> {
  readonly tenant?: string
}

export interface TaskPage extends ConsoleListPage<TaskView, TaskShow> {
  /** The tenants that have tasks. */
  readonly tenants: readonly string[]
}

export function taskQuery(query: URLSearchParams): TaskQuery {
  const tenant = query.get('tenant')?.trim()
  return { ...consoleListQuery(query, taskShows), ...(tenant && { tenant }) }
}

type Viewer = Pick<ConsoleVisit, 'isAdmin' | 'facts' | 'deps'>

/** The tasks that the key may see, including finished ones that are still kept. */
export function visibleTasks({ isAdmin, facts, deps }: Viewer): VisibleViews<TaskView> {
  return visibleViews(deps.taskViews, isAdmin ? undefined : facts.principal.tenant)
}

export function findTasks(
  { views: visible, total, tenants }: VisibleViews<TaskView>,
  query: TaskQuery,
): TaskPage {
  const { show, words, page, tenant } = query
  const matching = visible.filter(
    (view) => (tenant === undefined || view.tenant === tenant) && matches(view, words),
  )
  const counts = Object.fromEntries(
    taskShows.map((name) => [name, matching.filter(isIn[name]).length]),
  ) as Record<TaskShow, number>
  const rows = rowsOfPage(matching.filter(isIn[show]), page, consoleLimits.taskRows)
  return { ...rows, counts, tenants, total, older: total - visible.length }
}

function matches(view: TaskView, words: readonly string[]): boolean {
  if (words.length === 0) return true
  const { id, tenant, keyName, provider, model = '', sessionId = '', url = '', prompt } = view
  const parts = [id, tenant, keyName, provider, model, sessionId, url]
  const goal = prompt.slice(0, consoleLimits.goalSearchChars)
  return hasWords([...parts, goal, taskStateWord(view).label, taskReasonWord(view)], words)
}
