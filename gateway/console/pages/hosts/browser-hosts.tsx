/** Browser hosts: browsers that are warm, in use and waited for, and the load of the machine. */
import type { BrowserLoad, HostRecord } from '../../../../proto/host.ts'
import { PostForm } from '../../../html/form.tsx'
import { EmptyState, PageSection, StateMark } from '../../../html/parts.tsx'
import { plural } from '../../../html/plural.ts'
import { DataTable, type TableColumn } from '../../../html/table.tsx'
import type { ProcessFacts } from '../../../service/admin/processes.ts'
import { QuestionButton } from '../../html/question.tsx'
import { sizeWord } from '../../../../runtime/lib/text/sizes.ts'
import { TagList } from '../sessions/list/session-row.tsx'
import type { ConsoleVisit } from '../../visit.ts'
import { browserHostState, isolationWord } from './host-words.ts'

export const browserHostsIn = (processes: readonly ProcessFacts[]) =>
  processes.filter(({ record }) => record.role === 'node-agent')

export const hostRowId = ({ record }: ProcessFacts) => `host-${record.incarnation}`

export const BrowserHosts = ({
  hosts,
  visit,
}: {
  hosts: readonly ProcessFacts[]
  visit: ConsoleVisit
}) => (
  <div id="browser-hosts">
    <PageSection title="Browser hosts">
      {hosts.length === 0 ? (
        <EmptyState title="No browser host is running">
          <p>
            Sessions need one. Start it with <code>npm run troupe -- node-agent</code>, or start the
            whole service with <code>npm start</code>. See{' '}
            <a href="/docs/several-hosts">Several hosts</a> for what each machine needs.
          </p>
        </EmptyState>
      ) : (
        <DataTable
          caption="As reported a few seconds ago. Failures are counted since the host’s start"
          rows={hosts}
          columns={browserHostColumns(visit)}
          idOf={hostRowId}
        />
      )}
    </PageSection>
  </div>
)

const numbered = (label: string, cell: (record: HostRecord) => string | number | undefined) => ({
  ...{ label, isNumber: true },
  cell: ({ record }: ProcessFacts) => String(cell(record) ?? '–'),
})

export const browserHostColumns = (visit: ConsoleVisit): readonly TableColumn<ProcessFacts>[] => [
  { label: 'Host', isHead: true, cell: ({ record }) => <HostName record={record} /> },
  { label: 'State', cell: ({ record }) => <HostState record={record} /> },
  numbered('Warm', ({ browsers }) => browsers && warmWord(browsers)),
  numbered('In use', ({ browsers }) => browsers && `${browsers.claimed} of ${browsers.capacity}`),
  numbered('Waiting', ({ browsers }) => browsers?.queued),
  numbered(
    'Load',
    ({ machineLoad: load }) => load && `${load.load} on ${plural(load.cores, 'core')}`,
  ),
  numbered(
    'Free memory',
    ({ machineLoad: load }) =>
      load && `${sizeWord(load.memoryFreeBytes)} of ${sizeWord(load.memoryBytes)}`,
  ),
  { label: 'Failures', cell: ({ record }) => failureWord(record) },
  { label: 'Actions', cell: ({ record }) => <HostActions record={record} visit={visit} /> },
]

const warmWord = ({ warm, booting }: BrowserLoad): string =>
  booting === 0 ? String(warm) : `${warm}, ${booting} starting`

const HostName = ({ record }: { record: HostRecord }) => {
  const { nodeId, version, labels = [] } = record
  const facts = [`Version ${version}`, isolationWord(record)].filter((fact) => fact !== undefined)
  return (
    <>
      <bdi>{nodeId}</bdi>
      <span class="reason">{facts.join(' · ')}</span>
      {labels.length === 0 ? '' : <TagList tags={labels} label="Labels" />}
    </>
  )
}

const HostState = ({ record }: { record: HostRecord }) => {
  const { tone, label } = browserHostState(record)
  return <StateMark tone={tone}>{label}</StateMark>
}

/** Counted since the node agent started. */
function failureWord({ browsers }: HostRecord): string {
  const counts = browsers?.counts
  if (!counts) return '–'
  const { exits, refusals, bootFailures } = counts
  const refused = refusals.queue_full + refusals.queue_timeout
  const found = [
    exits.crashed > 0 && plural(exits.crashed, 'crash', 'crashes'),
    exits.out_of_resources > 0 && `${exits.out_of_resources} over their memory or disk`,
    bootFailures > 0 && `${bootFailures} did not start`,
    refused > 0 && `${plural(refused, 'caller')} refused`,
  ].filter((part) => part !== false)
  return found.length === 0 ? 'None' : found.join(', ')
}

const HostActions = ({ record, visit }: { record: HostRecord; visit: ConsoleVisit }) => {
  const { nodeId, state } = record
  const sessions = visit.at(`?search=${encodeURIComponent(nodeId)}`)
  return (
    <div class="row-acts">
      <a href={sessions}>
        Sessions<span class="hidden"> on {nodeId}</span>
      </a>
      {state === 'alive' ? <DrainButton record={record} visit={visit} /> : ''}
      {state === 'draining' ? <UndrainButton nodeId={nodeId} visit={visit} /> : ''}
    </div>
  )
}

const DrainButton = ({
  record: { nodeId, browsers, incarnation },
  visit,
}: {
  record: HostRecord
  visit: ConsoleVisit
}) => (
  <QuestionButton
    id={`drain-${incarnation}`}
    visit={visit}
    action={visit.at(`/hosts/${encodeURIComponent(nodeId)}/drain`)}
    isLink
    label={
      <>
        Drain<span class="hidden"> {nodeId}</span>
      </>
    }
    does="Drain this host"
    keeps="Keep it open"
    question={
      <>
        <b>
          Drain <bdi>{nodeId}</bdi>?
        </b>{' '}
        It takes no new sessions until you undrain it or its node agent is started again.{' '}
        {(browsers?.claimed ?? 0) > 0 ? 'Its running sessions continue.' : ''}
      </>
    }
  />
)

const UndrainButton = ({ nodeId, visit }: { nodeId: string; visit: ConsoleVisit }) => (
  <PostForm visit={visit} action={visit.at(`/hosts/${encodeURIComponent(nodeId)}/undrain`)}>
    <button type="submit" class="link">
      Undrain<span class="hidden"> {nodeId}</span>
    </button>
  </PostForm>
)
