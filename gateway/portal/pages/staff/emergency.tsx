/** Emergency access: requested, active, and due for review. */
import type { GrantView } from '../../../../proto/access/grants/grant.ts'
import { hasRole } from '../../../../proto/access/author.ts'
import { ButtonLink, DueDay, EmptyState, PageSection } from '../../../html/parts.tsx'
import { AccessTitle } from '../../html/access-title.tsx'
import { StatusMark } from '../../html/status-mark.tsx'
import { DataTable, type TableColumn } from '../../../html/table.tsx'
import type { PortalSection as Pages } from '../../page.ts'
import type { PageContent } from '../../../html/page-content.ts'
import type { Surface, Visit } from '../../visit.ts'
import { clientName } from '../../words/names.ts'
import { RequestTable } from '../requests/table.tsx'

const here: readonly Surface[] = ['staff']

export const emergencySection: Pages = {
  group: 'Oversight',
  nav: [
    {
      ...{ label: 'Emergency access', path: '/emergency', in: here },
      count: (visit) => (hasRole(visit.person, 'reviewer') ? toReview(visit).length : 0),
    },
  ],
  pages: [{ path: '/emergency', in: here, show }],
}

const isDue = ({ postReview }: GrantView) => postReview?.status === 'due'

/** Without grants in which this person had a part, since another person must review them. */
const toReview = (visit: Visit): readonly GrantView[] =>
  visit.list('grant').filter((grant) => {
    const { subject, requestedBy, approvers } = grant
    const parts = [subject.id, requestedBy.id, ...approvers.map(({ id }) => id)]
    return isDue(grant) && (visit.deps.singleOperator || !parts.includes(visit.person.id))
  })

function show(visit: Visit): PageContent {
  const grants = visit.list('grant').filter((one) => one.emergency)
  const pending = visit.list('request').filter((one) => {
    return one.terms.emergency && one.status === 'pending'
  })
  const due = grants.filter(isDue)
  const rest = grants.filter((one) => !isDue(one)).slice(0, 25)
  return {
    title: 'Emergency access',
    lead: 'One reviewer is enough, for at most four hours. A second reviewer must review it within 24 hours.',
    actions: (
      <ButtonLink href={visit.at('/ask?emergency=1')} kind="main">
        Request emergency access
      </ButtonLink>
    ),
    body: (
      <>
        <PageSection title="Waiting for a decision">
          {pending.length === 0 ? (
            <EmptyState title="There are no open requests for emergency access." />
          ) : (
            <RequestTable visit={visit} rows={pending} caption="Newest first" />
          )}
        </PageSection>
        <PageSection title="Post-review due">
          {due.length === 0 ? (
            <EmptyState title="All emergency access has been reviewed." />
          ) : (
            <Grants visit={visit} rows={due} caption="Open one to review it" />
          )}
        </PageSection>
        {rest.length === 0 ? (
          ''
        ) : (
          <PageSection title="Earlier">
            <Grants visit={visit} rows={rest} caption="Newest first" />
          </PageSection>
        )}
      </>
    ),
  }
}

const Grants = ({
  visit,
  rows,
  caption,
}: {
  visit: Visit
  rows: readonly GrantView[]
  caption: string
}) => {
  const columns: readonly TableColumn<GrantView>[] = [
    {
      label: 'Access',
      isHead: true,
      cell: (grant) => (
        <AccessTitle visit={visit} href={visit.at(`/access/${grant.id}`)} of={grant} />
      ),
    },
    { label: 'Client', cell: ({ tenant }) => clientName(visit, tenant) },
    { label: 'Status', cell: ({ status }) => <StatusMark of={status} /> },
    {
      label: 'Post-review',
      cell: ({ postReview }) =>
        postReview ? (
          <>
            <StatusMark of={postReview.status} />{' '}
            {postReview.status === 'due' ? (
              <DueDay ms={postReview.byMs} zone={visit.zone} now={visit.now} />
            ) : (
              ''
            )}
          </>
        ) : (
          '–'
        ),
    },
  ]
  return <DataTable caption={caption} columns={columns} rows={rows} />
}
