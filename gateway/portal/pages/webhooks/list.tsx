/** All endpoints that a person may see, with their health; for staff, those of all clients. */
import type { GrantView } from '../../../../proto/access/grants/grant.ts'
import { endpointStatuses, type EndpointView } from '../../../../proto/access/webhooks/endpoint.ts'
import { isSentOnce, type DeliveryTrigger } from '../../../../proto/access/webhooks/delivery.ts'
import type { EndpointHealth } from '../../../webhooks/health.ts'
import { accessTitle } from '../../html/access-title.tsx'
import { ClientFilter, clientAsked } from '../../html/client-filter.tsx'
import { FilterForm, StatusFilter } from '../../../html/filters.tsx'
import { ButtonLink, EmptyState, Pager, TimeText } from '../../../html/parts.tsx'
import { StatusMark } from '../../html/status-mark.tsx'
import { DataTable, type TableColumn } from '../../../html/table.tsx'
import type { PageContent } from '../../../html/page-content.ts'
import type { Visit } from '../../visit.ts'
import { clientName, needTitle } from '../../words/names.ts'
import { fromNow, spanWord } from '../../../html/times.ts'
import { plural } from '../../../html/plural.ts'
import { pageRows } from '../pager.ts'
import { EventNames } from './endpoint/events.tsx'
import { endpointsFor, grantOf, healthsOf } from './lookup.ts'
import { deliveryWords, shortReasons, endpointStatusLabel } from './words.ts'

const statusLabels = { pending: 'Unverified', active: 'Active', disabled: 'Disabled' } as const
const shownStatuses = endpointStatuses.filter((status) => status !== 'removed')

export async function showEndpoints(visit: Visit): Promise<PageContent> {
  const client = clientAsked(visit)
  const status = visit.asked('status')
  const all = endpointsFor(visit, client).filter((one) => !status || one.status === status)
  const { rows, links } = pageRows(visit, all)
  const healths = await healthsOf(
    visit,
    rows.map(({ id }) => id),
  )
  const path = visit.at('/webhooks')
  const isFiltered = status !== undefined || client !== undefined
  const columns = visit.isStaff ? staffColumns(visit, healths) : memberColumns(visit, healths)
  return {
    title: 'Webhooks',
    lead: visit.isStaff
      ? 'The endpoints of all clients, with failures and waiting deliveries.'
      : 'Let your programs know as soon as something happens to your records.',
    actions: (
      <>
        <ButtonLink href={visit.at('/webhooks/deliveries')}>Deliveries</ButtonLink>
        <ButtonLink href={visit.at('/webhooks/new')} kind="main">
          Add an endpoint
        </ButtonLink>
      </>
    ),
    body: (
      <>
        {all.length > 0 || isFiltered ? (
          <Narrow visit={visit} status={status} isFiltered={isFiltered} />
        ) : (
          ''
        )}
        {rows.length === 0 ? (
          <NoEndpoints visit={visit} isFiltered={isFiltered} path={path} />
        ) : (
          <DataTable caption="Newest first" columns={columns} rows={rows} />
        )}
        <Pager {...links} />
      </>
    ),
  }
}

const Narrow = ({
  visit,
  status,
  isFiltered,
}: {
  visit: Visit
  status: string | undefined
  isFiltered: boolean
}) => (
  <FilterForm path={visit.at('/webhooks')} isFiltered={isFiltered}>
    <ClientFilter visit={visit} />
    <StatusFilter
      choices={shownStatuses.map((value) => ({ value, label: statusLabels[value] }))}
      value={status}
    />
  </FilterForm>
)

const NoEndpoints = ({
  visit,
  isFiltered,
  path,
}: {
  visit: Visit
  isFiltered: boolean
  path: string
}) =>
  isFiltered ? (
    <EmptyState title="No endpoints match this filter.">
      <p>
        <a href={path}>Show all endpoints</a>
      </p>
    </EmptyState>
  ) : (
    <EmptyState title="There are no webhook endpoints yet.">
      <p>
        A webhook is a signed message that Troupe sends to your URL when something happens, so that
        your program does not have to poll.
      </p>
      <p>
        You need a webhook grant, which determines the events you can receive.{' '}
        <a href={visit.at('/ask')}>Request one</a>, or{' '}
        <a href={visit.at('/webhooks/new')}>add an endpoint</a> to one you have.
      </p>
    </EmptyState>
  )

type Healths = ReadonlyMap<string, EndpointHealth>
type EndpointColumn = TableColumn<EndpointView>

const nameColumn = (visit: Visit): EndpointColumn => ({
  label: 'Endpoint',
  isHead: true,
  cell: ({ id, url, description, grantId }) => (
    <>
      <a class="breaks" href={visit.at(`/webhooks/${id}`)}>
        <bdi>{url.replace(/^https:\/\//, '')}</bdi>
      </a>
      {description === '' ? '' : <p class="quiet">{description}</p>}
      <GrantLine visit={visit} grant={grantOf(visit, { grantId })} />
    </>
  ),
})

/** Endpoints may have the same URL, and differ by their grant. */
const GrantLine = ({ visit, grant }: { visit: Visit; grant: GrantView | undefined }) =>
  grant === undefined ? (
    <></>
  ) : (
    <>
      <span class="about">
        <a href={visit.at(`/access/${grant.id}`)}>{accessTitle(visit, grant)}</a>
      </span>
      <span class="about">{needTitle(visit, grant.needId)}</span>
    </>
  )

const stateColumn: EndpointColumn = {
  label: 'Status',
  cell: (endpoint) => (
    <>
      <EndpointStatusMark of={endpoint} />
      {endpoint.statusReason === undefined ? (
        ''
      ) : (
        <p class="quiet">{shortReasons[endpoint.statusReason]}</p>
      )}
    </>
  ),
}

export const EndpointStatusMark = ({ of }: { of: EndpointView }) => {
  const { tone, label } = endpointStatusLabel(of)
  return <StatusMark of={tone} label={label} />
}

const failuresColumn = (healths: Healths): EndpointColumn => ({
  label: 'Failures',
  cell: ({ id }) => failuresWord(healths.get(id)),
})

/** Counts the newest deliveries only; pings and tests are not among them. */
function failuresWord(health: EndpointHealth | undefined): string {
  if (!health?.last_delivery) return 'Nothing sent yet'
  if (health.attempts === 0) {
    return isSentOnce(health.last_delivery) ? 'No event sent yet' : 'No attempt yet'
  }
  const { attempts, failed_attempts: failed } = health
  const all = plural(attempts, 'attempt')
  if (failed === 0) return `None of ${all}`
  return `${failed} of ${all}, ${Math.round((100 * failed) / attempts)} %`
}

function memberColumns(visit: Visit, healths: Healths): readonly EndpointColumn[] {
  return [
    nameColumn(visit),
    { label: 'Events', cell: ({ events }) => <EventNames of={events} /> },
    stateColumn,
    {
      label: 'Last delivery',
      cell: ({ id }) => <LastDelivery visit={visit} of={healths.get(id)} />,
    },
    failuresColumn(healths),
  ]
}

/** Added to deliveries that no event has caused. */
const onceWords: Readonly<Partial<Record<DeliveryTrigger, string>>> = {
  verify: ' (the first ping)',
  test: ' (a test)',
}

const LastDelivery = ({ visit, of }: { visit: Visit; of: EndpointHealth | undefined }) => {
  const last = of?.last_delivery
  if (!last) return <>None yet</>
  return (
    <>
      <a href={visit.at(`/webhooks/deliveries/${last.id}`)}>
        {deliveryWords[last.status]}
        {onceWords[last.trigger] ?? ''}
      </a>{' '}
      <span class="quiet">{fromNow(Date.parse(last.created_at), visit.now)}</span>
    </>
  )
}

function staffColumns(visit: Visit, healths: Healths): readonly EndpointColumn[] {
  return [
    nameColumn(visit),
    { label: 'Client', cell: ({ tenant }) => clientName(visit, tenant) },
    stateColumn,
    failuresColumn(healths),
    {
      label: 'Last success',
      cell: ({ lastSuccessAtMs }) =>
        lastSuccessAtMs === undefined ? (
          'Never'
        ) : (
          <TimeText ms={lastSuccessAtMs} zone={visit.zone} />
        ),
    },
    { label: 'Waiting deliveries', cell: ({ id }) => waitingWord(visit, healths.get(id)) },
  ]
}

/** If the oldest delivery that was read is waiting, there may be older ones waiting too. */
function waitingWord(visit: Visit, health: EndpointHealth | undefined): string {
  if (health?.oldest_waiting_at === undefined) return 'None'
  const { oldest_waiting_at: at, waiting, deliveries, has_more: hasMore } = health
  const span = spanWord(visit.now - Date.parse(at))
  const isMore = hasMore && waiting === deliveries
  return isMore
    ? `${waiting} or more, the oldest for more than ${span}`
    : `${waiting}, the oldest for ${span}`
}
