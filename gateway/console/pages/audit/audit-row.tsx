/** The columns of the audit. */
import { devKeyId } from '../../../../proto/accounts/key.ts'
import type { NumberedEntry } from '../../../../runtime/service-audit/reader.ts'
import { IdCode, StateMark } from '../../../html/parts.tsx'
import type { TableColumn } from '../../../html/table.tsx'
import type { ConsoleVisit } from '../../visit.ts'
import { auditActionWord, auditOutcomeWords, detailWord } from './audit-words.ts'

export const auditRowId = ({ n }: NumberedEntry) => `entry-${n}`

export const auditColumns = (visit: ConsoleVisit): readonly TableColumn<NumberedEntry>[] => [
  { label: 'Action', isHead: true, cell: auditActionWord },
  {
    label: 'When',
    cell: ({ at }) => <time datetime={at}>{`${at.slice(0, 10)} ${at.slice(11, 19)} UTC`}</time>,
  },
  {
    label: 'Outcome',
    cell: ({ outcome }) => {
      const { tone, label } = auditOutcomeWords[outcome]
      return <StateMark tone={tone}>{label}</StateMark>
    },
  },
  { label: 'Tenant', cell: ({ tenant = '–' }) => <bdi>{tenant}</bdi> },
  { label: 'Key', cell: (entry) => <KeyOfEntry entry={entry} visit={visit} /> },
  { label: 'From', cell: ({ address }) => addressWord(address) },
  { label: 'Object', cell: (entry) => <AboutWhat entry={entry} visit={visit} /> },
  { label: 'Details', cell: (entry) => <span class="breaks">{detailWord(entry) || '–'}</span> },
]

interface EntryShown {
  readonly entry: NumberedEntry
  readonly visit: ConsoleVisit
}

/** A link to all entries of the key. */
const KeyOfEntry = ({ entry: { key_id: id }, visit }: EntryShown) => {
  if (id === undefined) return <>–</>
  const name = id === devKeyId ? 'development' : visit.deps.keys.get(id)?.name
  return (
    <>
      {name === undefined ? '' : <bdi>{name} </bdi>}
      <a href={visit.at(`/audit?key_id=${encodeURIComponent(id)}`)}>
        <IdCode>{id}</IdCode>
      </a>
    </>
  )
}

const addressWord = (address: string | undefined): string =>
  address === 'cli' ? 'Command line' : (address ?? '–')

const AboutWhat = ({ entry: { session_id: session, task_id: task }, visit }: EntryShown) => (
  <>
    {session === undefined ? (
      ''
    ) : (
      <a href={visit.at(`/sessions/${session}`)}>
        Session <IdCode>{session.slice(-6)}</IdCode>
      </a>
    )}
    {task === undefined ? '' : <TaskLink id={task} visit={visit} />}
    {session === undefined && task === undefined ? '–' : ''}
  </>
)

const TaskLink = ({ id, visit }: { id: string; visit: ConsoleVisit }) => {
  const label = (
    <>
      Task <IdCode>{id.slice(-6)}</IdCode>
    </>
  )
  return visit.deps.paths.has('/tasks/{id}') ? (
    <a href={visit.at(`/tasks/${id}`)}>{label}</a>
  ) : (
    label
  )
}
