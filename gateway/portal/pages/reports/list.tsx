/** The reports of a client that a person may read. */
import { defined } from '../../../../proto/defined.ts'
import { reportKinds, reportStatuses } from '../../../../proto/access/reports/report-content.ts'
import { SelectField } from '../../../html/fields.tsx'
import { FilterForm, StatusFilter } from '../../../html/filters.tsx'
import { ButtonLink, IdCode, EmptyState, Pager, TimeText } from '../../../html/parts.tsx'
import { StatusMark } from '../../html/status-mark.tsx'
import { DataTable, type TableColumn } from '../../../html/table.tsx'
import type { PageContent } from '../../../html/page-content.ts'
import type { Visit } from '../../visit.ts'
import { objectNameOf } from '../../words/names.ts'
import { pagerLinks, rowsPerPage } from '../pager.ts'
import { clientsRead, reportsOf, type ReportRow } from './lookup.ts'
import { kindWords, periodWord, shortDigest, statusWords } from './words.ts'

export async function showReports(visit: Visit): Promise<PageContent> {
  const clients = clientsRead(visit)
  const asked = visit.asked('client')
  const client = clients.find(({ id }) => id === asked) ?? clients[0]
  const mayMake = visit.isStaff && visit.may('POST /v1/reports')
  return {
    title: 'Reports',
    lead: 'What was found, measured or done in a period. Each figure names the records it comes from.',
    ...(client &&
      mayMake && {
        actions: (
          <ButtonLink href={visit.at(`/reports/new?client=${client.id}`)} kind="main">
            Create a report
          </ButtonLink>
        ),
      }),
    body: client ? await listOf(visit, client.id, clients) : <NoGrant visit={visit} />,
  }
}

const NoGrant = ({ visit }: { visit: Visit }) => (
  <EmptyState title="You have no access to reports.">
    <p>
      People can see a report if they can read reports and every area it covers. Request access to
      Reports and to these areas.
    </p>
    <p>
      <ButtonLink href={visit.at('/ask')} kind="main">
        Request access
      </ButtonLink>
    </p>
  </EmptyState>
)

async function listOf(visit: Visit, client: string, clients: ReturnType<typeof clientsRead>) {
  const [kind, status, cursor] = [visit.asked('kind'), visit.asked('status'), visit.asked('cursor')]
  const { data, page } = await reportsOf(visit, client, {
    limit: String(rowsPerPage),
    ...(kind !== undefined && { 'filter[kind]': kind }),
    ...(status !== undefined && { 'filter[status]': status }),
    ...defined({ cursor }),
  })
  const isFiltered = kind !== undefined || status !== undefined
  const path = visit.at('/reports')
  return (
    <>
      <FilterForm path={path} isFiltered={isFiltered}>
        {visit.isStaff ? (
          <SelectField
            name="client"
            label="Client"
            choices={clients.map(({ id, name }) => ({ value: id, label: name }))}
            value={client}
          />
        ) : (
          ''
        )}
        <SelectField
          name="kind"
          label="Kind"
          choices={[
            { value: '', label: 'Any' },
            ...reportKinds.map((value) => ({ value, label: kindWords[value] })),
          ]}
          value={kind ?? ''}
        />
        <StatusFilter
          choices={reportStatuses.map((value) => ({ value, label: statusWords[value] }))}
          value={status}
        />
      </FilterForm>
      {data.length === 0 ? (
        <NoReports visit={visit} isFiltered={isFiltered} path={path} />
      ) : (
        <DataTable caption="Newest first" columns={columns(visit)} rows={data} />
      )}
      <Pager {...pagerLinks(visit, page.next_cursor ?? undefined)} />
    </>
  )
}

const NoReports = ({
  visit,
  isFiltered,
  path,
}: {
  visit: Visit
  isFiltered: boolean
  path: string
}) =>
  isFiltered ? (
    <EmptyState title="No reports match this filter.">
      <p>
        <a href={path}>Show all reports</a>
      </p>
    </EmptyState>
  ) : (
    <EmptyState title="There are no reports yet.">
      <p>
        {visit.isStaff
          ? 'An operator or a reviewer creates a report from the records of a period; another reviewer publishes it.'
          : 'A published report appears here if you can read every area it covers.'}
      </p>
    </EmptyState>
  )

export const ReportStatusMark = ({ of: { status } }: { of: Pick<ReportRow, 'status'> }) =>
  status === undefined ? <>–</> : <StatusMark of={status} label={statusWords[status]} />

const columns = (visit: Visit): readonly TableColumn<ReportRow>[] => [
  {
    label: 'Report',
    isHead: true,
    cell: ({ id, title }) => (
      <a href={visit.at(`/reports/${id}`)}>
        <bdi>{title}</bdi>
      </a>
    ),
  },
  { label: 'Kind', cell: ({ kind }) => (kind ? kindWords[kind] : '–') },
  { label: 'Period', cell: ({ period }) => periodWord(period) },
  { label: 'Status', cell: (report) => <ReportStatusMark of={report} /> },
  { label: 'Version', isNumber: true, cell: ({ version }) => String(version) },
  {
    label: 'Published',
    cell: ({ published_at: at, published_by: by }) =>
      at === undefined ? (
        'Not yet'
      ) : (
        <>
          <TimeText ms={Date.parse(at)} zone={visit.zone} />
          {by === undefined ? '' : <p class="quiet">by {objectNameOf(visit, by)}</p>}
        </>
      ),
  },
  {
    label: 'Digest',
    cell: ({ digest }) => (digest === undefined ? '–' : <IdCode>{shortDigest(digest)}</IdCode>),
  },
]
