/** The facts of a task, and its result. */
import { isTaskOver, type TaskView } from '../../../../../proto/task/task.ts'
import { ExternalLink, FactList, NoticeBox, TimeText } from '../../../../html/parts.tsx'
import { timeWord } from '../../../../html/times.ts'
import { lastSecondsOf } from '../../../../tasks/json/last-seconds.ts'
import { CodeSample } from '../../../../html/code/code-sample.tsx'
import { TraceLinks } from '../../../html/trace-links.tsx'
import type { ConsoleVisit } from '../../../visit.ts'
import { shortSpan, shortUrl } from '../../sessions/session-words.ts'
import { providerWord, TaskSpan, TaskStateCell } from '../list/task-row.tsx'
import { costWord, tokenCountsWord, wordsOf } from '../task-words.ts'
import { videoAt } from './task-video.ts'

interface Props {
  readonly view: TaskView
  readonly visit: ConsoleVisit
}

export const TaskFacts = ({ view, visit }: Props) => {
  const { createdAtMs, endedAtMs, expiresAtMs, waiting, note, usage, url } = view
  const isOver = isTaskOver(view.state)
  return (
    <div id="facts">
      <FactList
        of={[
          { term: 'State', is: <TaskStateCell view={view} visit={visit} /> },
          waiting?.retryAtMs !== undefined && {
            term: 'Retries in',
            is: <Until ms={waiting.retryAtMs} visit={visit} />,
          },
          !isOver && note !== undefined && { term: 'Now', is: note },
          { term: 'Steps', is: `${view.steps} of ${view.maxSteps} at most` },
          { term: 'Tokens', is: usageWord(usage) },
          { term: 'Cost', is: costWord(usage.costUsd) ?? 'Unknown (no price for this model)' },
          { term: 'Duration', is: <TaskSpan view={view} now={visit.now} /> },
          { term: 'Created', is: <TimeText ms={createdAtMs} zone="UTC" /> },
          endedAtMs !== undefined && { term: 'Ended', is: <TimeText ms={endedAtMs} zone="UTC" /> },
          !isOver &&
            expiresAtMs !== undefined && {
              term: 'Times out in',
              is: <Until ms={expiresAtMs} visit={visit} />,
            },
          { term: 'Model', is: providerWord(view) },
          url !== undefined && {
            term: 'Start page',
            is: shortUrl(url) === url ? <ExternalLink url={url} /> : shortUrl(url),
          },
          view.sessionId !== undefined && {
            term: 'Session',
            is: <SessionLink id={view.sessionId} view={view} visit={visit} />,
          },
          visit.has('tasks') && {
            term: 'Trace',
            is: <TraceLinks href={visit.at(`/tasks/${view.id}/trace`)} />,
          },
          { term: 'Tenant', is: <bdi>{view.tenant}</bdi> },
          { term: 'Key', is: <bdi>{view.keyName}</bdi> },
        ]}
      />
    </div>
  )
}

function usageWord({
  inputTokens,
  cachedTokens,
  outputTokens,
  calls,
  estimated,
}: TaskView['usage']) {
  const counts = { input: inputTokens, cached: cachedTokens, output: outputTokens }
  const about = estimated ? 'about ' : ''
  return `${about}${tokenCountsWord(counts)}; the model was asked ${timesWord(calls)}`
}

const timesWord = (count: number) => (count === 1 ? 'once' : `${count} times`)

const Until = ({ ms, visit }: { ms: number; visit: ConsoleVisit }) => (
  <span data-until={String(ms)}>{shortSpan(ms - visit.now)}</span>
)

/** Views of sessions are kept as long as those of tasks, but the session may not exist yet. */
const SessionLink = ({ id, view, visit }: Props & { id: string }) => (
  <>
    {visit.deps.views.get(id) === undefined ? (
      <code class="id">{id}</code>
    ) : (
      <a href={visit.at(`/sessions/${id}`)}>
        <code class="id">{id}</code>
      </a>
    )}
    {view.ownsSession ? ' (created for this task)' : ''}
  </>
)

/** The result, or why there is none. Empty while the task runs. */
export const TaskResultBox = ({ view, visit }: Props) => {
  const { result, error, state, endedAtMs = visit.now } = view
  if (!isTaskOver(state)) return <></>
  if (!visit.has('tasks')) {
    return <p class="quiet">To see the result, you need a key with the scope tasks.</p>
  }
  const words = wordsOf(result)
  return (
    <>
      {error === undefined ? (
        ''
      ) : (
        <NoticeBox tone={state === 'cancelled' ? 'info' : 'bad'} title={error}>
          <LastSeconds view={view} visit={visit} />
        </NoticeBox>
      )}
      {words ? (
        <NoticeBox
          tone={words.isReached ? 'info' : 'bad'}
          title={words.isReached ? 'Result' : 'The goal was not reached'}
        >
          <p class="said">{words.text}</p>
        </NoticeBox>
      ) : result === undefined ? (
        ''
      ) : (
        <CodeSample
          id="result"
          label={`Result of ${timeWord(endedAtMs, 'UTC')}`}
          text={JSON.stringify(result, null, 2)}
        />
      )}
    </>
  )
}

/** A link to the end of the task in the video of its session. */
const LastSeconds = ({ view, visit }: Props) => {
  const last = lastSecondsOf(view, visit.deps.views)
  const video = videoAt(visit, view)
  if (!last || !video) return <></>
  return (
    <p>
      <a href={video(last.from)}>Watch its last ten seconds</a>
    </p>
  )
}
