/** One task: its question, goal, facts, result and steps. */
import { isTaskOver, type TaskView } from '../../../../../proto/task/task.ts'
import { Collapsible, ErrorSummary } from '../../../../html/form.tsx'
import type { FormProblem } from '../../../../html/forms/problem.ts'
import type { PageContent } from '../../../../html/page-content.ts'
import { PageSection } from '../../../../html/parts.tsx'
import { CopyButton } from '../../../../html/code/code-sample.tsx'
import { consoleLimits } from '../../../limits.ts'
import type { ConsoleVisit } from '../../../visit.ts'
import { cutText } from '../task-words.ts'
import { taskOfPath } from './task-acts.ts'
import { TaskControls, TaskQuestionBox } from './task-controls.tsx'
import { TaskFacts, TaskResultBox } from './task-facts.tsx'
import { readSteps, StepsSection, type ShownSteps } from './task-steps.tsx'

export async function showTask(visit: ConsoleVisit, problem?: FormProblem): Promise<PageContent> {
  const view = await taskOfPath(visit)
  const shown = visit.has('tasks') ? await readSteps(visit, view) : undefined
  return {
    title: 'Task',
    up: { href: visit.at('/tasks'), label: 'Tasks' },
    lead: (
      <>
        <code id="task-id">{view.id}</code> <CopyButton of="task-id" what="the ID" />
      </>
    ),
    actions: <TaskControls view={view} visit={visit} />,
    body: (
      <>
        <ErrorSummary problem={problem} />
        <TaskQuestionBox view={view} visit={visit} />
        <div class="task-top">
          <div>
            <PageSection title="Goal">
              <Goal text={view.prompt} />
            </PageSection>
            <TaskResultBox view={view} visit={visit} />
          </div>
          <div class="session-facts">
            {isTaskOver(view.state) ? '' : <Liveness view={view} visit={visit} shown={shown} />}
            <TaskFacts view={view} visit={visit} />
          </div>
        </div>
        {shown ? (
          <StepsSection visit={visit} view={view} shown={shown} />
        ) : (
          <PageSection title="Steps">
            <p class="quiet">To see the steps, you need a key with the scope tasks.</p>
          </PageSection>
        )}
      </>
    ),
  }
}

/** A long goal is collapsed after its beginning. */
const Goal = ({ text }: { text: string }) => {
  const beginning = cutText(text, consoleLimits.goalShownChars)
  if (beginning === text) return <p class="said">{text}</p>
  return (
    <>
      <p class="said">{beginning}</p>
      <Collapsible label="Show the whole goal">
        <p class="said">{text}</p>
      </Collapsible>
    </>
  )
}

interface LivenessFacts {
  readonly view: TaskView
  readonly visit: ConsoleVisit
  readonly shown: ShownSteps | undefined
}

/** Names the stream for the script; it sends the steps after the last one on the page. */
const Liveness = ({ view, visit, shown }: LivenessFacts) => {
  const after = shown?.isNewest ? `?after=${shown.steps.at(-1)?.n ?? shown.since}` : ''
  return (
    <p
      class="liveness"
      data-feed={visit.at(`/tasks/${view.id}/feed${after}`)}
      data-now={String(visit.now)}
    >
      Reload the page to see changes.
    </p>
  )
}
