/** The steps of a task, newest first: screenshot, reason, actions, and duration and cost. */
import type { StepAction, StepRecord, TaskView } from '../../../../../proto/task/task.ts'
import { EmptyState, PageSection, StateMark, type Tone } from '../../../../html/parts.tsx'
import { TaskRecords } from '../../../../tasks/records.ts'
import { consoleLimits } from '../../../limits.ts'
import type { ConsoleVisit } from '../../../visit.ts'
import { shortUrl } from '../../sessions/session-words.ts'
import { costWord, cutText, msWord, tokenCountsWord } from '../task-words.ts'
import { videoAt } from './task-video.ts'

/** One page of steps. */
export interface ShownSteps {
  /** Oldest first. */
  readonly steps: readonly StepRecord[]
  /** The number of the step before them; 0 if they start with the first step. */
  readonly since: number
  /** Whether they include the newest step. */
  readonly isNewest: boolean
}

/** `?before=N` of the page's URL asks for the steps before number N. */
export async function readSteps(visit: ConsoleVisit, view: TaskView): Promise<ShownSteps> {
  const asked = /^[1-9]\d{0,5}$/.test(visit.asked('before') ?? '') && Number(visit.asked('before'))
  const isNewest = asked === false || asked > view.steps
  const since = Math.max(0, (isNewest ? view.steps : asked - 1) - consoleLimits.taskSteps)
  const count = isNewest ? consoleLimits.taskSteps : asked - 1 - since
  const records = new TaskRecords(visit.deps.store)
  return { steps: await records.steps(view.id, since, count), since, isNewest }
}

interface Props {
  readonly visit: ConsoleVisit
  readonly view: TaskView
}

export const StepsSection = ({ visit, view, shown }: Props & { shown: ShownSteps }) => {
  const here = visit.at(`/tasks/${view.id}`)
  const { steps, since, isNewest } = shown
  const video = videoAt(visit, view)
  return (
    <PageSection title="Steps" actions={isNewest ? undefined : <a href={here}>Show the newest</a>}>
      <ol id="steps" class="timeline" reversed>
        {steps.toReversed().map((step) => (
          <StepItem visit={visit} step={step} video={video} />
        ))}
      </ol>
      <EmptyState
        title={view.steps > 0 ? 'The steps are no longer kept' : 'There are no steps yet'}
      >
        <p>A step appears here each time the model has decided and acted.</p>
      </EmptyState>
      {since > 0 ? (
        <nav class="pager" aria-label="Pagination">
          <a href={`${here}?before=${since + 1}`}>Earlier steps</a>
        </nav>
      ) : (
        ''
      )}
    </PageSection>
  )
}

export const stepItemId = ({ n }: Pick<StepRecord, 'n'>) => `step-${n}`

interface ItemProps {
  readonly visit: ConsoleVisit
  readonly step: StepRecord
  readonly video?: ReturnType<typeof videoAt>
}

export const StepItem = ({ visit, step, video }: ItemProps) => {
  const { n, at, page, reason, actions } = step
  return (
    <li id={stepItemId(step)} value={n}>
      <StepPicture visit={visit} step={step} />
      <div class="step">
        <h3>
          Step {n} <time datetime={at}>{at.slice(11, 19)} UTC</time>
          {video === undefined ? (
            ''
          ) : (
            <a class="moment" href={video(at)}>
              Watch<span class="hidden"> step {n} in the video</span>
            </a>
          )}
        </h3>
        <p class="step-page">
          {page.title || 'Untitled'} <span class="quiet breaks">{shortUrl(page.url)}</span>
        </p>
        {reason === '' ? '' : <p class="said">{reason}</p>}
        <ul class="acts">
          {actions.map((action) => (
            <ActionItem action={action} />
          ))}
        </ul>
        <p class="took">{tookWord(step)}</p>
      </div>
    </li>
  )
}

const StepPicture = ({ visit, step }: { visit: ConsoleVisit; step: StepRecord }) => {
  const { n, task_id: id, screenshot } = step
  if (screenshot === undefined) return <span class="picture" aria-hidden="true" />
  const path = visit.at(`/tasks/${id}/steps/${n}/picture`)
  return (
    <a class="picture" href={path} target="_blank" rel="noopener">
      <img src={path} alt={`The page at step ${n}, in a new tab`} loading="lazy" />
    </a>
  )
}

/** For example `1,000 tokens in, 50 out · $0.0012 · read 10 ms · decided 0.8 s · acted 12 ms`. */
function tookWord({ tokens, cost_usd: cost, ms, model }: StepRecord): string {
  const costs = costWord(cost)
  return [
    tokenCountsWord(tokens),
    ...(costs === undefined ? [] : [costs]),
    `read ${msWord(ms.observe)}`,
    `decided ${msWord(ms.decide)}`,
    `acted ${msWord(ms.act)}`,
    model,
  ].join(' · ')
}

const outcomes: Readonly<
  Record<StepAction['outcome'], { readonly tone: Tone; readonly label: string }>
> = {
  done: { tone: 'good', label: 'Done' },
  failed: { tone: 'bad', label: 'Failed' },
  dropped: { tone: 'quiet', label: 'Skipped: the page had changed' },
  unknown: { tone: 'wait', label: 'Outcome unknown' },
  refused: { tone: 'bad', label: 'Refused' },
}

const ActionItem = ({ action }: { action: StepAction }) => {
  const { tool, element, outcome, text, ms } = action
  const { tone, label } = outcomes[outcome]
  const given = givenWord(action)
  return (
    <li>
      <span>
        <b>{toolWord(tool)}</b> {element === undefined ? '' : <bdi>{elementWord(element)}</bdi>}{' '}
        {given === '' ? '' : <code class="breaks">{given}</code>}
      </span>
      <span class="outcome">
        <StateMark tone={tone}>{label}</StateMark> {ms > 0 ? msWord(ms) : ''}
      </span>
      {text === undefined || text === '' ? (
        ''
      ) : (
        <span class="outcome-text breaks">{cutText(text, consoleLimits.actionChars)}</span>
      )}
    </li>
  )
}

/** For example `browser_navigate` → `navigate`. */
const toolWord = (tool: string) => tool.replace(/^browser_/, '').replaceAll('_', ' ')

/** Without the ref that the model uses: `button "Buy" [e1]` → `button "Buy"`. */
const elementWord = (element: string) =>
  cutText(
    element
      .trim()
      .replace(/^- /, '')
      .replace(/\s*\[(ref=)?\w+\]$/, ''),
    120,
  )

/** The input of an action without its target; secrets appear as names. */
function givenWord({ input, element }: StepAction): string {
  const isTarget = (name: string) =>
    element !== undefined && ['target', 'ref', 'element'].includes(name)
  const given = Object.entries(input).filter(([name]) => !isTarget(name))
  const words = given.map(([name, value]) =>
    typeof value === 'string' ? `${name}: ${value}` : `${name}: ${JSON.stringify(value)}`,
  )
  return cutText(words.join(', '), consoleLimits.actionChars)
}
