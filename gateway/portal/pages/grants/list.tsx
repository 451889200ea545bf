/** A person's own grants with their end and reason, and all grants for those who manage them. */
import { grantStatuses, type GrantView } from '../../../../proto/access/grants/grant.ts'
import { AccessTitle } from '../../html/access-title.tsx'
import { ClientFilter, clientAsked } from '../../html/client-filter.tsx'
import { FilterForm, StatusFilter } from '../../../html/filters.tsx'
import {
  ButtonLink,
  DueDay,
  EmptyState,
  Pager,
  PageSection,
  TimeText,
} from '../../../html/parts.tsx'
import { StatusMark } from '../../html/status-mark.tsx'
import { DataTable, type TableColumn } from '../../../html/table.tsx'
import type { PageContent } from '../../../html/page-content.ts'
import type { Visit } from '../../visit.ts'
import { clientName } from '../../words/names.ts'
import { toWords } from '../../words/words.ts'
import { RequestTable } from '../requests/table.tsx'
import { pageRows } from '../pager.ts'

const isOver = ({ status }: GrantView) => status === 'ended' || status === 'revoked'

export const grantColumns = (visit: Visit): readonly TableColumn<GrantView>[] => [
  {
    label: 'Access',
    isHead: true,
    cell: (grant) => (
      <AccessTitle visit={visit} href={visit.at(`/access/${grant.id}`)} of={grant} />
    ),
  },
  ...(visit.isStaff
    ? [{ label: 'Client', cell: ({ tenant }: GrantView) => clientName(visit, tenant) }]
    : []),
  { label: 'Status', cell: (grant) => <StatusMark of={grant.status} /> },
  { label: 'Ends', cell: (grant) => <End visit={visit} grant={grant} /> },
]

const End = ({ visit, grant }: { visit: Visit; grant: GrantView }) =>
  isOver(grant) ? (
    <TimeText ms={grant.endedAt ?? grant.endsAtMs} zone={visit.zone} />
  ) : (
    <DueDay ms={grant.endsAtMs} zone={visit.zone} now={visit.now} />
  )

/** Only this person's grants. */
export function showMine(visit: Visit): PageContent {
  const { id } = visit.person
  const mine = visit.grantsFor(id)
  const held = mine.filter((grant) => !isOver(grant))
  const requests = visit.list('request').filter((one) => {
    const isMine = one.requestedBy.id === id || one.terms.subject.id === id
    return isMine && !['fulfilled', 'withdrawn'].includes(one.status)
  })
  return {
    title: 'My access',
    lead: 'What you can access, for what, and until when. Access cannot be extended; submit a new request in time.',
    actions: (
      <ButtonLink href={visit.at('/ask')} kind="main">
        Request access
      </ButtonLink>
    ),
    body: (
      <>
        <PageSection title="Current access">
          {held.length === 0 ? (
            <EmptyState title="You have no access.">
              <p>
                Request what your work needs. Other people review it, and their decision appears
                here.
              </p>
            </EmptyState>
          ) : (
            <DataTable caption="Grants in force" columns={grantColumns(visit)} rows={held} />
          )}
        </PageSection>
        <PageSection
          title="Your requests"
          actions={<a href={visit.at('/requests')}>All requests</a>}
        >
          {requests.length === 0 ? (
            <EmptyState title="You have no open requests." />
          ) : (
            <RequestTable visit={visit} rows={requests.slice(0, 10)} caption="Newest first" />
          )}
        </PageSection>
      </>
    ),
  }
}

export function showAll(visit: Visit): PageContent {
  const status = visit.asked('status')
  const client = clientAsked(visit)
  const all = visit.list('grant', client).filter((one) => !status || one.status === status)
  const { rows, links } = pageRows(visit, all)
  const path = visit.at('/grants')
  return {
    title: 'Grants',
    lead: 'All granted access: to whom, for what need and until when.',
    body: (
      <>
        <FilterForm path={path} isFiltered={status !== undefined || client !== undefined}>
          <ClientFilter visit={visit} />
          <StatusFilter
            choices={grantStatuses.map((one) => ({ value: one, label: toWords(one) }))}
            value={status}
          />
        </FilterForm>
        {rows.length === 0 ? (
          <EmptyState title={status ? 'No grants have this status.' : 'There are no grants yet.'}>
            <p>
              A grant is created when a request is approved.{' '}
              <a href={visit.at('/ask')}>Request access</a>
            </p>
          </EmptyState>
        ) : (
          <DataTable caption="Newest first" columns={grantColumns(visit)} rows={rows} />
        )}
        <Pager {...links} />
      </>
    ),
  }
}
