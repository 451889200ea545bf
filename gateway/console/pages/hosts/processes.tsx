/** Every process of the service, and how often it was replaced. */
import { EmptyState, PageSection, StateMark } from '../../../html/parts.tsx'
import { DataTable, type TableColumn } from '../../../html/table.tsx'
import { addressOfProcess } from '../../../service/admin/host-routes.ts'
import type { ProcessFacts } from '../../../service/admin/processes.ts'
import { sizeWord } from '../../../../runtime/lib/text/sizes.ts'
import type { ConsoleVisit } from '../../visit.ts'
import { shortSpan } from '../sessions/session-words.ts'
import { processState, roleWords } from './host-words.ts'

export const processRowId = ({ record }: ProcessFacts) => `process-${record.incarnation}`

export const Processes = ({
  processes,
  visit,
}: {
  processes: readonly ProcessFacts[]
  visit: ConsoleVisit
}) => (
  <div id="processes">
    <PageSection title="Processes">
      {processes.length === 0 ? (
        <EmptyState title="No process is known">
          <p>This gateway has lost contact with the store. It tries to reconnect.</p>
        </EmptyState>
      ) : (
        <DataTable
          caption="By host"
          rows={processes}
          columns={processColumns(visit)}
          idOf={processRowId}
        />
      )}
    </PageSection>
  </div>
)

export const processColumns = ({
  now,
  deps,
}: ConsoleVisit): readonly TableColumn<ProcessFacts>[] => [
  { label: 'Process', isHead: true, cell: ({ record }) => roleWords[record.role] },
  { label: 'Host', cell: ({ record }) => <bdi>{record.nodeId}</bdi> },
  {
    label: 'State',
    cell: ({ record }) => {
      const { tone, label } = processState(record)
      return <StateMark tone={tone}>{label}</StateMark>
    },
  },
  { label: 'Version', cell: ({ record }) => record.version },
  {
    label: 'Running for',
    isNumber: true,
    cell: ({ startedAtMs }) => (
      <span data-since={String(startedAtMs)}>{shortSpan(now - startedAtMs)}</span>
    ),
  },
  {
    label: 'Restarts',
    cell: ({ endedBefore }) => (endedBefore === 0 ? 'None' : `${endedBefore} in the last hour`),
  },
  {
    label: 'Memory',
    isNumber: true,
    cell: ({ record: { machineLoad } }) => (machineLoad ? sizeWord(machineLoad.processBytes) : '–'),
  },
  {
    label: 'Address',
    cell: ({ record }) => <span class="breaks">{addressOfProcess(record) ?? '–'}</span>,
  },
  { label: 'Clock', cell: ({ record }) => clockWord(record, deps.membership.clockSkews()) },
]

type Skews = ReturnType<ConsoleVisit['deps']['membership']['clockSkews']>

/** Access expires by the clocks of hosts, so a wrong clock is shown. */
function clockWord({ nodeId, role }: ProcessFacts['record'], skews: Skews): string {
  const skewMs = skews.find((one) => one.nodeId === nodeId && one.role === role)?.skewMs ?? 0
  if (Math.abs(skewMs) < 2_000) return 'In sync'
  return `${shortSpan(Math.abs(skewMs))} ${skewMs > 0 ? 'ahead' : 'behind'}`
}
