/** The list of tasks. */
import type { TaskView } from '../../../../../proto/task/task.ts'
import type { PageContent } from '../../../../html/page-content.ts'
import { ButtonLink, EmptyState, withQuery } from '../../../../html/parts.tsx'
import { DataTable } from '../../../../html/table.tsx'
import { CodeSample } from '../../../../html/code/code-sample.tsx'
import { feedList } from '../../../lists/list-feed.ts'
import {
  captionOf,
  ListLiveness,
  ListPager,
  ListSearch,
  ListSwitch,
  TenantChoice,
} from '../../../lists/list-parts.tsx'
import type { ConsoleFile } from '../../../page.ts'
import type { ConsoleVisit } from '../../../visit.ts'
import { taskCurl } from '../create/task-order.ts'
import {
  findTasks,
  taskQuery,
  visibleTasks,
  type TaskPage,
  type TaskQuery,
  type TaskShow,
} from './task-query.ts'
import { taskColumns, taskRowId, TaskTableRow } from './task-row.tsx'

const parts: Readonly<Record<TaskShow, string>> = {
  all: 'All',
  active: 'Active',
  asking: 'Need an answer',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
}

interface ListFacts {
  readonly visit: ConsoleVisit
  readonly query: TaskQuery
  readonly found: TaskPage
}

export function showTasks(visit: ConsoleVisit): PageContent {
  const query = taskQuery(visit.query)
  const facts = { visit, query, found: findTasks(visibleTasks(visit), query) }
  return {
    title: 'Tasks',
    ...(visit.has('tasks') && {
      actions: (
        <ButtonLink href={visit.at('/tasks/new')} kind="main">
          New task
        </ButtonLink>
      ),
    }),
    body: (
      <>
        <ListLiveness visit={visit} feed="/tasks/feed" />
        <div class="list-head">
          <TaskSwitch {...facts} />
          <SearchForm {...facts} />
        </div>
        <TasksRegion {...facts} />
      </>
    ),
  }
}

/** The query is that of the list. */
export function feedTasks(visit: ConsoleVisit): ConsoleFile {
  const query = taskQuery(visit.query)
  return feedList<TaskView, TaskPage>(visit, {
    into: 'tasks',
    // The view that is removed no longer contains its tenant.
    watch: (onChange) =>
      visit.deps.taskViews.onChange((view) => {
        if (!view || visit.sees(view.tenant)) onChange()
      }),
    find: (now) => findTasks(visibleTasks(now), query),
    parts: (now, found) => ({
      show: TaskSwitch({ visit: now, query, found }),
      tasks: TasksRegion({ visit: now, query, found }),
    }),
    rowId: taskRowId,
    row: (now, view) => TaskTableRow({ visit: now, view }),
  })
}

const TaskSwitch = ({ visit, query, found }: ListFacts) => (
  <ListSwitch
    visit={visit}
    path="/tasks"
    label="Which tasks"
    parts={parts}
    shown={query.show}
    counts={found.counts}
  />
)

const SearchForm = ({ visit, query, found }: ListFacts) => (
  <ListSearch
    visit={visit}
    path="/tasks"
    label="Search tasks"
    placeholder="Goal, ID, session, model or state"
    show={query.show === 'all' ? undefined : query.show}
  >
    {visit.isAdmin ? <TenantChoice chosen={query.tenant} known={found.tenants} /> : ''}
  </ListSearch>
)

/** Replaced as a whole when the first row appears or the last one disappears. */
const TasksRegion = ({ visit, query, found }: ListFacts) => (
  <div id="tasks">
    {found.rows.length === 0 ? (
      <NoTasks visit={visit} query={query} found={found} />
    ) : (
      <>
        <DataTable
          caption={captionOf(found)}
          columns={taskColumns(visit)}
          rows={found.rows}
          idOf={taskRowId}
        />
        <ListPager visit={visit} path="/tasks" found={found} />
      </>
    )}
  </div>
)

const nothing: Readonly<Record<Exclude<TaskShow, 'all'>, string>> = {
  active: 'No tasks are running',
  asking: 'No tasks need an answer',
  completed: 'No tasks have completed yet',
  failed: 'No tasks have failed',
  cancelled: 'No tasks were cancelled',
}

const NoTasks = ({ visit, query, found }: ListFacts) => {
  const { show, words, tenant } = query
  if (words.length > 0 || tenant !== undefined) {
    const without = { search: undefined, tenant: undefined, page: undefined }
    return (
      <EmptyState title="No tasks match this search">
        <p>
          Every word must occur in a task’s goal, ID, session, provider, model, key or state.{' '}
          <a href={withQuery(visit.at('/tasks'), visit.query, without)}>Clear the search</a>
        </p>
      </EmptyState>
    )
  }
  if (show !== 'all' && found.total > 0) {
    return (
      <EmptyState title={nothing[show]}>
        <p>
          <a href={visit.at('/tasks')}>Show all tasks</a>
        </p>
      </EmptyState>
    )
  }
  return (
    <EmptyState title="There are no tasks yet">
      <p>
        A task is a goal, given in words, that an AI model works on in a browser. Ended tasks are
        listed here for some days, with all their steps.
      </p>
      {visit.has('tasks') ? <FirstTask visit={visit} /> : ''}
    </EmptyState>
  )
}

const FirstTask = ({ visit }: { visit: ConsoleVisit }) => {
  const body = { prompt: 'What is on this page?', url: 'https://example.com', async: true }
  return (
    <>
      <p>
        <ButtonLink href={visit.at('/tasks/new')} kind="main">
          Run your first task
        </ButtonLink>
      </p>
      <CodeSample id="code-shell" label="Or from your code" text={taskCurl(visit, body)} />
    </>
  )
}
