/** The columns of a list of tasks. */
import { isTaskOver, type TaskView } from '../../../../../proto/task/task.ts'
import type { Markup } from '../../../../html/markup.ts'
import { StateMark } from '../../../../html/parts.tsx'
import { DataRow, type TableColumn } from '../../../../html/table.tsx'
import { keyColumn } from '../../../lists/key-column.tsx'
import { isInScope } from '../../../page.ts'
import { consoleLimits } from '../../../limits.ts'
import type { ConsoleVisit } from '../../../visit.ts'
import { shortSpan } from '../../sessions/session-words.ts'
import { costWord, cutText, taskReasonWord, taskStateWord, tokensWord } from '../task-words.ts'

export const taskRowId = ({ id }: Pick<TaskView, 'id'>) => `row-${id}`

/** The scopes of keys that see tasks. */
export const seesTasks = ['tasks', 'admin'] as const

export const TaskTableRow = ({ visit, view }: { visit: ConsoleVisit; view: TaskView }) => (
  <DataRow columns={taskColumns(visit)} row={view} id={taskRowId(view)} />
)

export function taskColumns(visit: ConsoleVisit): readonly TableColumn<TaskView>[] {
  const { now } = visit
  return [
    { label: 'Task', isHead: true, cell: (view) => <TaskName view={view} visit={visit} /> },
    { label: 'State', cell: (view) => <TaskStateCell view={view} visit={visit} /> },
    { label: 'Steps', isNumber: true, cell: ({ steps }) => steps },
    { label: 'Tokens', isNumber: true, cell: ({ usage }) => tokensWord(usage) },
    { label: 'Cost', isNumber: true, cell: ({ usage }) => costWord(usage.costUsd) ?? '–' },
    { label: 'Duration', isNumber: true, cell: (view) => <TaskSpan view={view} now={now} /> },
    { label: 'Created', cell: ({ createdAtMs }) => <Ago ms={createdAtMs} now={now} /> },
    keyColumn(visit),
  ]
}

const TaskName = ({ view, visit }: { view: TaskView; visit: ConsoleVisit }) => (
  <div class="task-name">
    <TaskLink view={view} visit={visit} />
    <span class="about-task">{providerWord(view)}</span>
    {isTaskOver(view.state) || view.note === undefined ? (
      ''
    ) : (
      <span class="about-task note">{cutText(view.note, consoleLimits.goalChars)}</span>
    )}
  </div>
)

export const providerWord = ({ provider, model }: TaskView): string =>
  model === undefined ? provider : `${provider} · ${model}`

/** The goal as a link to the task, for keys that may see it. */
export const TaskLink = ({ view, visit }: { view: TaskView; visit: ConsoleVisit }) => {
  const goal = cutText(view.prompt, consoleLimits.goalChars)
  return isInScope(visit.facts.principal, seesTasks) ? (
    <a href={visit.at(`/tasks/${view.id}`)}>{goal}</a>
  ) : (
    <>{goal}</>
  )
}

export const TaskStateCell = ({
  view,
  visit,
  children,
}: {
  view: TaskView
  visit: ConsoleVisit
  children?: Markup
}) => {
  const { tone, label } = taskStateWord(view)
  const { waiting } = view
  return (
    <>
      <StateMark tone={tone}>{label}</StateMark>
      <span class="reason">
        {taskReasonWord(view)}
        {waiting ? (
          <>
            {' · for '}
            <span data-since={String(waiting.sinceMs)}>
              {shortSpan(visit.now - waiting.sinceMs)}
            </span>
          </>
        ) : (
          ''
        )}
      </span>
      {children ?? ''}
    </>
  )
}

/** Until now or, for a finished task, how long it took. The script keeps it current. */
export const TaskSpan = ({ view, now }: { view: TaskView; now: number }) => {
  const { createdAtMs, endedAtMs } = view
  if (endedAtMs !== undefined) return <>{shortSpan(endedAtMs - createdAtMs)}</>
  return <span data-since={String(createdAtMs)}>{shortSpan(now - createdAtMs)}</span>
}

const Ago = ({ ms, now }: { ms: number; now: number }) => (
  <>
    <span data-since={String(ms)}>{shortSpan(now - ms)}</span> ago
  </>
)
