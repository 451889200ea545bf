/** The columns of a list of sessions. */
import { hasBrowser, isFinal, type SessionView } from '../../../../../proto/session/session.ts'
import { StateMark } from '../../../../html/parts.tsx'
import { plural } from '../../../../html/plural.ts'
import { DataRow, type TableColumn } from '../../../../html/table.tsx'
import { consoleLimits } from '../../../limits.ts'
import { keyColumn } from '../../../lists/key-column.tsx'
import type { ConsoleVisit } from '../../../visit.ts'
import { EndButton } from '../one/session-controls.tsx'
import { endOf, sessionReason, sessionState, shortSpan } from '../session-words.ts'

export const rowIdOf = ({ id }: Pick<SessionView, 'id'>) => `row-${id}`

export const SessionTableRow = ({ visit, view }: { visit: ConsoleVisit; view: SessionView }) => (
  <DataRow columns={sessionColumns(visit)} row={view} id={rowIdOf(view)} />
)

export function sessionColumns(visit: ConsoleVisit): readonly TableColumn<SessionView>[] {
  const { now } = visit
  return [
    {
      label: 'Session',
      isHead: true,
      cell: (view) => <Name view={view} visit={visit} />,
    },
    { label: 'State', cell: (view) => <StateCell view={view} /> },
    { label: 'Age', isNumber: true, cell: (view) => <Age view={view} now={now} /> },
    { label: 'Time left', isNumber: true, cell: (view) => <TimeLeft view={view} now={now} /> },
    keyColumn(visit),
    { label: 'Host', cell: ({ nodeId }) => nodeId ?? '–' },
    { label: 'Actions', cell: (view) => <RowActions view={view} visit={visit} /> },
  ]
}

const Name = ({ view, visit }: { view: SessionView; visit: ConsoleVisit }) => {
  const { id, tags, options } = view
  const tasks = visit.deps.tasksBySession.of(id).length
  return (
    <div class="session-name">
      <Picture view={view} visit={visit} />
      <div>
        <a class="session-id" href={visit.at(`/sessions/${id}`)}>
          {id}
        </a>
        <span class="about-session">
          {options.headless ? 'Headless' : 'Desktop'}
          {tasks > 0 ? ` · ${plural(tasks, 'task')}` : ''}
        </span>
        <span class="page-shown" data-page-of={id} />
        {tags.length === 0 ? '' : <TagList tags={tags} />}
      </div>
    </div>
  )
}

/**
 * The script loads the picture while the row is in view, and sets the page's title beside it; once for
 * a session that has ended.
 */
const Picture = ({ view, visit }: { view: SessionView; visit: ConsoleVisit }) => {
  const isRunning = view.status === 'running'
  const isSeen = mayLook(visit) && (isRunning || hasLastPicture(view, visit.now))
  return (
    <span
      class="picture"
      aria-hidden="true"
      data-glance={isSeen ? visit.at(`/sessions/${view.id}/glance`) : undefined}
      data-once={isSeen && !isRunning ? '' : undefined}
    />
  )
}

/** Whether its host may have kept one: browsers that were closed in order leave it for a day. */
export const hasLastPicture = ({ status, endedAtMs, nodeId }: SessionView, now: number): boolean =>
  status === 'completed' &&
  nodeId !== undefined &&
  now - (endedAtMs ?? 0) < consoleLimits.lastPictureMs

export const mayLook = (visit: ConsoleVisit) => visit.has('drive') || visit.has('view')

interface TagListFacts {
  readonly tags: readonly string[]
  /** What the items are, for screen readers. */
  readonly label?: string
}

export const TagList = ({ tags, label = 'Tags' }: TagListFacts) => (
  <ul class="tags" aria-label={label}>
    {tags.map((tag) => (
      <li>
        <bdi>{tag}</bdi>
      </li>
    ))}
  </ul>
)

export const StateCell = ({ view }: { view: SessionView }) => {
  const { tone, label } = sessionState(view)
  return (
    <>
      <StateMark tone={tone}>{label}</StateMark>
      <span class="reason">{sessionReason(view)}</span>
    </>
  )
}

/**
 * Since its creation or, for a session that has ended, how long it lived. The script keeps it
 * current.
 */
export const Age = ({ view, now }: { view: SessionView; now: number }) => {
  const { createdAtMs, endedAtMs } = view
  const span = shortSpan((endedAtMs ?? now) - createdAtMs)
  return endedAtMs === undefined ? (
    <span data-since={String(createdAtMs)}>{span}</span>
  ) : (
    <>{span}</>
  )
}

const TimeLeft = ({ view, now }: { view: SessionView; now: number }) => {
  const endsMs = endOf(view)
  if (endsMs === undefined) return <>{isFinal(view.status) ? '–' : 'No limit'}</>
  return <span data-until={String(endsMs)}>{shortSpan(endsMs - now)}</span>
}

const RowActions = ({ view, visit }: { view: SessionView; visit: ConsoleVisit }) => {
  const { id, status } = view
  if (!hasBrowser(status) && status !== 'starting') {
    return <a href={visit.at(`/sessions/${id}`)}>Details</a>
  }
  const mayEnd = visit.has('sessions') || visit.isAdmin
  return (
    <div class="row-acts">
      {status === 'running' && mayLook(visit) ? (
        <a class="act" href={visit.at(`/sessions/${id}/live`)} target="_blank" rel="noopener">
          Live view<span class="hidden"> of {id}, in a new tab</span>
        </a>
      ) : (
        ''
      )}
      {status === 'running' && visit.has('drive') ? (
        <a class="act" href={visit.at(`/sessions/${id}/devtools`)} target="_blank" rel="noopener">
          DevTools<span class="hidden"> of {id}, in a new tab</span>
        </a>
      ) : (
        ''
      )}
      {mayEnd ? (
        <EndButton view={view} visit={visit} isLink>
          End<span class="hidden"> {id}</span>
        </EndButton>
      ) : (
        ''
      )}
    </div>
  )
}
