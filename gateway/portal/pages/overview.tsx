/** The start page: what waits for the person, current activity, and accessible areas. */
import { dayMs } from '../../../proto/units.ts'
import { ButtonLink, EmptyState, PageSection } from '../../html/parts.tsx'
import { bothSurfaces, type PortalSection as Pages } from '../page.ts'
import type { PageContent } from '../../html/page-content.ts'
import type { Visit } from '../visit.ts'
import { clientName } from '../words/names.ts'
import { dayWord, fromNow } from '../../html/times.ts'
import { ClientNotice } from './client-notice.tsx'
import { EmergencyNotices } from './emergency-notice.tsx'
import { NeedTable } from './needs/need-table.tsx'
import { nextStepOf, waitingChanges } from './changes/change/possible-actions.ts'
import { AreaGroups } from './records/groups.tsx'
import { personKindFacts } from './people/kind.ts'
import { waitsForRemoval } from './people/removal.tsx'
import { RightsNotices, waitsForConfirmation } from './people/rights.tsx'
import { requestsToReview } from './requests/review-state.ts'

export const overviewSection: Pages = {
  group: '',
  nav: [{ label: 'Overview', path: '', in: bothSurfaces }],
  pages: [{ path: '', in: bothSurfaces, show }],
}

function show(visit: Visit): PageContent {
  return {
    title: visit.client?.name ?? 'Overview',
    lead: visit.isStaff
      ? 'Your open tasks across all clients.'
      : 'Your open tasks, the open needs and the records that you can see.',
    actions:
      visit.isStaff || visit.client?.status === 'active' ? (
        <ButtonLink href={visit.at('/ask')} kind="main">
          Request access
        </ButtonLink>
      ) : undefined,
    body: (
      <>
        <ClientNotice client={visit.client} />
        <EmergencyNotices visit={visit} />
        <RightsNotices visit={visit} />
        <PageSection title="Waiting for you">
          <Todo items={todo(visit)} />
        </PageSection>
        {visit.isStaff ? '' : <Records visit={visit} />}
        <PageSection title="Open needs" actions={<a href={visit.at('/needs')}>All needs</a>}>
          <OpenNeeds visit={visit} />
        </PageSection>
      </>
    ),
  }
}

interface Item {
  /** Undefined for what is on several pages. */
  readonly href: string | undefined
  readonly title: string
  readonly note: string
}

const Todo = ({ items }: { items: readonly Item[] }) =>
  items.length === 0 ? (
    <EmptyState title="Nothing is waiting for you.">
      <p>Reviews, drafts and access that ends soon appear here.</p>
    </EmptyState>
  ) : (
    <ul class="todo">
      {items.map(({ href, title, note }) => (
        <li>
          {href === undefined ? <span>{title}</span> : <a href={href}>{title}</a>}
          <span class="quiet">{note}</span>
        </li>
      ))}
    </ul>
  )

const soonMs = 7 * dayMs
const shownMost = 10

function todo(visit: Visit): readonly Item[] {
  const { person, now, zone } = visit
  const reviews = requestsToReview(visit).map((request) => ({
    href: visit.at(`/requests/${request.id}`),
    title: `Review: access for ${request.shown?.subject.name ?? 'someone'}`,
    note: `${clientPrefix(visit, request.tenant)}requested ${fromNow(request.createdAtMs, now)}`,
  }))
  const changes = waitingChanges(visit).map((change) => ({
    href: visit.at(`/changes/${change.id}`),
    title: `Change: ${change.terms.title}`,
    note: `${clientPrefix(visit, change.tenant)}${nextStepOf(visit, change)?.text ?? ''}`,
  }))
  const own = visit
    .list('request')
    .filter(({ status, requestedBy }) => {
      return requestedBy.id === person.id && ['draft', 'returned'].includes(status)
    })
    .map(({ id, status, message, terms }) => ({
      href: visit.at(`/requests/${id}`),
      title:
        status === 'draft' ? 'Your draft request was not sent yet' : 'Your request was returned',
      note: status === 'draft' ? terms.justification.slice(0, 80) : (message ?? ''),
    }))
  const ending = visit
    .grantsFor(person.id)
    .filter(({ status, endsAtMs }) => status === 'active' && endsAtMs < now + soonMs)
    .map(({ id, endsAtMs }) => ({
      href: visit.at(`/access/${id}`),
      title: 'Your access ends soon',
      note: dayWord(endsAtMs, zone),
    }))
  const overdue = visit
    .list('need')
    .filter(({ status, ownerId }) => status === 'overdue' && ownerId === person.id)
    .map(({ id, title }) => ({
      href: visit.at(`/needs/${id}`),
      title: `Overdue: ${title}`,
      note: 'Extend or close it. It closes automatically 7 days after its expected end.',
    }))
  const all = [...peopleItems(visit), ...reviews, ...changes, ...own, ...ending, ...overdue]
  if (all.length <= shownMost) return all
  const title = `And ${all.length - shownMost} more`
  const note = 'See the lists of requests, changes, grants and needs.'
  return [...all.slice(0, shownMost), { href: undefined, title, note }]
}

/** People whose rights or removal the person may confirm. */
function peopleItems(visit: Visit): readonly Item[] {
  const removals = visit
    .list('person')
    .filter((one) => waitsForRemoval(visit, one))
    .map(({ id, name }) => ({
      href: visit.at(`/people/${id}`),
      title: `Removal of ${name}`,
      note: 'It was proposed, and takes effect when it is confirmed.',
    }))
  const rights = visit
    .list('person')
    .filter((one) => waitsForConfirmation(visit, one))
    .map(({ id, kind, name }) => ({
      href: visit.at(`${personKindFacts(kind).path}/${id}`),
      title: `Rights of ${name}`,
      note: 'They take effect when a second person confirms them.',
    }))
  return [...rights, ...removals]
}

const clientPrefix = (visit: Visit, tenant: string) =>
  visit.isStaff ? `${clientName(visit, tenant)}, ` : ''

const OpenNeeds = ({ visit }: { visit: Visit }) => {
  const needs = visit.list('need').filter(({ status }) => status !== 'closed')
  if (needs.length === 0) {
    return (
      <EmptyState title="There are no open needs.">
        <p>
          Access is always granted for a need, which says what has to be done and until when.{' '}
          {visit.may('POST /v1/needs') ? (
            <a href={visit.at('/needs/new')}>Open a need</a>
          ) : (
            'An owner can open one.'
          )}
        </p>
      </EmptyState>
    )
  }
  return <NeedTable visit={visit} needs={needs.slice(0, 5)} caption="Newest first" />
}

const Records = ({ visit }: { visit: Visit }) => (
  <PageSection title="Records">
    <AreaGroups visit={visit} />
  </PageSection>
)
