/** All requests, and those that wait for reviews. */
import { requestStatuses, type RequestView } from '../../../../proto/access/grants/request.ts'
import { openSlots } from '../../../../proto/access/grants/review-slots.ts'
import { ClientFilter, clientAsked } from '../../html/client-filter.tsx'
import { FilterForm, StatusFilter } from '../../../html/filters.tsx'
import { ButtonLink, EmptyState, Pager, PageSection } from '../../../html/parts.tsx'
import { StatusMark } from '../../html/status-mark.tsx'
import { DataTable, type TableColumn } from '../../../html/table.tsx'
import type { PageContent } from '../../../html/page-content.ts'
import type { Visit } from '../../visit.ts'
import { fromNow } from '../../../html/times.ts'
import { slotsWord, toWords } from '../../words/words.ts'
import { pageRows } from '../pager.ts'
import { reviewStateOf } from './review-state.ts'
import { requestColumns, RequestTable } from './table.tsx'
import { dayMs } from '../../../../proto/units.ts'

const inner: readonly string[] = ['checking', 'approved']

export function showRequests(visit: Visit): PageContent {
  const status = visit.asked('status')
  const client = clientAsked(visit)
  const all = visit.list('request', client).filter((one) => !status || one.status === status)
  const { rows, links } = pageRows(visit, all)
  const path = visit.at('/requests')
  const choices = requestStatuses.filter((one) => !inner.includes(one))
  return {
    title: 'Requests',
    lead: 'All access requests and their outcomes.',
    actions: (
      <ButtonLink href={visit.at('/ask')} kind="main">
        Request access
      </ButtonLink>
    ),
    body: (
      <>
        <FilterForm path={path} isFiltered={status !== undefined || client !== undefined}>
          <ClientFilter visit={visit} />
          <StatusFilter
            choices={choices.map((one) => ({ value: one, label: toWords(one) }))}
            value={status}
          />
        </FilterForm>
        {rows.length === 0 ? (
          <EmptyState
            title={status ? 'No requests have this status.' : 'There are no requests yet.'}
          >
            <p>Request what your work needs. Other people review your request.</p>
          </EmptyState>
        ) : (
          <RequestTable visit={visit} rows={rows} caption="Newest first" />
        )}
        <Pager {...links} />
      </>
    ),
  }
}

/** Oldest first, since it has waited longest. */
export function showReviews(visit: Visit): PageContent {
  const pending = visit.list('request').filter(({ status }) => status === 'pending')
  const oldestFirst = [...pending].reverse()
  const yours = oldestFirst.filter((one) => reviewStateOf(visit, one).kind === 'waits for you')
  const others = oldestFirst.filter((one) => !yours.includes(one))
  return {
    title: 'Reviews',
    lead: 'The requester and the recipient of access cannot decide on the request. A single denial rejects it.',
    body: (
      <>
        <PageSection title="Waiting for you">
          {yours.length === 0 ? (
            <EmptyState title="No requests are waiting for your review.">
              <p>They appear here and on the overview. A request expires after seven days.</p>
            </EmptyState>
          ) : (
            <Queue visit={visit} rows={yours} caption="Longest waiting first" />
          )}
        </PageSection>
        {others.length === 0 ? (
          ''
        ) : (
          <PageSection title="Waiting for others">
            <Queue
              visit={visit}
              rows={others}
              caption="You can read these, but not decide on them"
              isOthers
            />
          </PageSection>
        )}
      </>
    ),
  }
}

const Queue = ({
  visit,
  rows,
  caption,
  isOthers,
}: {
  visit: Visit
  rows: readonly RequestView[]
  caption: string
  isOthers?: boolean
}) => {
  const columns: readonly TableColumn<RequestView>[] = [
    ...requestColumns(visit),
    { label: 'Waiting', cell: (one) => <Age visit={visit} of={one} /> },
    isOthers
      ? { label: 'Why you cannot decide', cell: (one) => whyNot(visit, one) }
      : { label: 'Missing reviews', cell: (one) => missing(one) },
  ]
  return <DataTable caption={caption} columns={columns} rows={rows} />
}

const Age = ({ visit, of: { createdAtMs, terms, policy } }: { visit: Visit; of: RequestView }) => (
  <>
    {fromNow(createdAtMs, visit.now)}{' '}
    {terms.emergency ? <StatusMark of="critical" label="Emergency" /> : ''}
    {policy && policy.expiresAtMs - visit.now < dayMs ? (
      <StatusMark of="expiring" label="Expires today" />
    ) : (
      ''
    )}
  </>
)

function whyNot(visit: Visit, request: RequestView): string {
  const standing = reviewStateOf(visit, request)
  return standing.kind === 'not for you' ? standing.why : ''
}

function missing(request: RequestView): string {
  const open = openSlots(request)
  const count = (role: (typeof open)[number]) => open.filter((one) => one === role).length
  const slots = [...new Set(open)].map((role) => ({ role, count: count(role) }))
  return slotsWord(slots)
}
