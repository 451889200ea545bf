/** Parts of a session's page whose data comes from the service: tasks, links, and events. */
import type { ServiceAuditEntry } from '../../../../../proto/service-audit.ts'
import { isFinal, type SessionView } from '../../../../../proto/session/session.ts'
import { PostForm, SubmitButton } from '../../../../html/form.tsx'
import { ButtonLink, PageSection } from '../../../../html/parts.tsx'
import { DataTable } from '../../../../html/table.tsx'
import { sharedScope } from '../../../../recordings/shared/recording-links.ts'
import { consoleLimits } from '../../../limits.ts'
import type { ConsoleVisit } from '../../../visit.ts'
import { TaskLink, TaskStateCell } from '../../tasks/list/task-row.tsx'
import { LinkForm } from './session-controls.tsx'
import { issuedLinks } from './session-history.ts'
import { auditActionWord, auditOutcomeWords, detailWord } from '../../audit/audit-words.ts'
import { shortSpan } from '../session-words.ts'

interface Props {
  readonly view: SessionView
  readonly visit: ConsoleVisit
}

export const TasksSection = ({ view, visit }: Props) => {
  const tasks = visit.deps.tasksBySession.of(view.id)
  const mayRun = view.status === 'running' && visit.has('tasks')
  if (tasks.length === 0 && !mayRun) return <></>
  const run = (
    <ButtonLink href={visit.at(`/tasks/new?session=${view.id}`)}>Run a task here</ButtonLink>
  )
  return (
    <PageSection title="Tasks" actions={mayRun ? run : undefined}>
      {tasks.length === 0 ? (
        <p class="quiet">There are no tasks in this session.</p>
      ) : (
        <DataTable
          caption="Newest first"
          rows={tasks.toReversed().slice(0, consoleLimits.taskRows)}
          columns={[
            { label: 'Task', isHead: true, cell: (task) => <TaskLink view={task} visit={visit} /> },
            { label: 'State', cell: (task) => <TaskStateCell view={task} visit={visit} /> },
            { label: 'Steps', isNumber: true, cell: ({ steps }) => steps },
          ]}
        />
      )}
    </PageSection>
  )
}

/** What is left of a session's links after its end: those to its recording. */
export const LinksSection = ({
  view,
  visit,
  history,
}: Props & { history: readonly ServiceAuditEntry[] }) => {
  const isOver = isFinal(view.status)
  const links = issuedLinks(history, visit.now).filter(
    ({ scopes }) => !isOver || scopes === sharedScope,
  )
  if (isOver && links.length === 0) return <></>
  const mayMake = view.status === 'running' && (visit.has('drive') || visit.has('view'))
  const mayRevoke = visit.has('sessions') || visit.has('drive') || mayMake
  return (
    <PageSection title="Links and tokens">
      {links.length === 0 ? (
        <p class="quiet">
          There are no valid links or tokens. With a link, someone without a key can watch or
          control this session.
        </p>
      ) : (
        <DataTable
          caption="Valid links and tokens, newest first"
          rows={links}
          columns={[
            { label: 'Scopes', isHead: true, cell: ({ scopes }) => scopes },
            {
              label: 'Time left',
              cell: ({ expiresAtMs }) => (
                <span data-until={String(expiresAtMs)}>{shortSpan(expiresAtMs - visit.now)}</span>
              ),
            },
            { label: 'Created', cell: ({ atMs }) => `${shortSpan(visit.now - atMs)} ago` },
            { label: 'Key', cell: ({ keyId }) => <code class="id">{keyId}</code> },
          ]}
        />
      )}
      {mayMake ? <LinkForm view={view} visit={visit} /> : ''}
      {links.length > 0 && mayRevoke ? (
        <PostForm visit={visit} action={visit.at(`/sessions/${view.id}/links/revoke`)}>
          <SubmitButton kind="danger">Revoke all links and tokens</SubmitButton>
        </PostForm>
      ) : (
        ''
      )}
    </PageSection>
  )
}

export const HistorySection = ({ history }: { history: readonly ServiceAuditEntry[] }) => (
  <PageSection title="Log">
    {history.length === 0 ? (
      <p class="quiet">There are no log entries for this session yet.</p>
    ) : (
      <DataTable
        caption="From the service’s audit, newest first"
        rows={history}
        columns={[
          { label: 'Action', isHead: true, cell: auditActionWord },
          {
            label: 'When',
            cell: ({ at }) => (
              <time datetime={at}>{`${at.slice(0, 10)} ${at.slice(11, 19)} UTC`}</time>
            ),
          },
          { label: 'From', cell: ({ address = '–' }) => address },
          { label: 'Details', cell: (entry) => <HistoryDetails entry={entry} /> },
        ]}
      />
    )}
  </PageSection>
)

const HistoryDetails = ({ entry }: { entry: ServiceAuditEntry }) => {
  const outcome = entry.outcome === 'done' ? '' : auditOutcomeWords[entry.outcome].label
  return <span class="breaks">{[outcome, detailWord(entry)].filter(Boolean).join(', ')}</span>
}
