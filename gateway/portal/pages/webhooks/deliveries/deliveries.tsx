/** The stored deliveries, newest first. */
import { deliveryStatuses } from '../../../../../proto/access/webhooks/delivery.ts'
import { webhookLimits as limits } from '../../../../../proto/access/webhooks/webhook-limits.ts'
import { SelectField } from '../../../../html/fields.tsx'
import { FilterForm, StatusFilter } from '../../../../html/filters.tsx'
import { EmptyState, Pager } from '../../../../html/parts.tsx'
import type { PageContent } from '../../../../html/page-content.ts'
import type { Visit } from '../../../visit.ts'
import { pagerLinks, rowsPerPage } from '../../pager.ts'
import { DeliveryTable } from './delivery-table.tsx'
import { knownTypes } from '../endpoint/events.tsx'
import { deliveriesFor, endpointsFor } from '../lookup.ts'
import { deliveryWords } from '../words.ts'
import { dayMs } from '../../../../../proto/units.ts'

/** The page's query parameters, and their names in REST. */
const asked = { endpoint: 'endpoint_id', status: 'status', type: 'event_type', cursor: 'cursor' }

const keptDays = limits.deliveryKeptMs / dayMs

export async function showDeliveries(visit: Visit): Promise<PageContent> {
  const query = Object.entries(asked).flatMap(([name, field]) => {
    const value = visit.asked(name)
    return value === undefined ? [] : [[field, value] as const]
  })
  const isFiltered = query.some(([field]) => field !== 'cursor')
  const limit = String(rowsPerPage)
  const { data, page } = await deliveriesFor(visit, { ...Object.fromEntries(query), limit })
  const path = visit.at('/webhooks/deliveries')
  return {
    title: 'Deliveries',
    lead: `What was sent to the endpoints, with the result. Kept for ${keptDays} days.`,
    up: { href: visit.at('/webhooks'), label: 'Webhooks' },
    body: (
      <>
        <Narrow visit={visit} path={path} isFiltered={isFiltered} />
        {data.length === 0 ? (
          <NoDeliveries path={path} isFiltered={isFiltered} hasMore={page.has_more} />
        ) : (
          <DeliveryTable visit={visit} rows={data} caption="Newest first" />
        )}
        <Pager {...pagerLinks(visit, page.next_cursor ?? undefined)} />
      </>
    ),
  }
}

/** The maximum in the filter; the page of each endpoint also links to its deliveries. */
const endpointsOffered = 100
const urlChars = 60

const Narrow = ({
  visit,
  path,
  isFiltered,
}: {
  visit: Visit
  path: string
  isFiltered: boolean
}) => {
  const chosen = visit.asked('endpoint')
  const offered = endpointsFor(visit).filter(({ id }, i) => i < endpointsOffered || id === chosen)
  return (
    <FilterForm path={path} isFiltered={isFiltered}>
      <SelectField
        name="endpoint"
        label="Endpoint"
        choices={[
          { value: '', label: 'Any' },
          ...offered.map(({ id, url }) => ({ value: id, label: shortUrl(url) })),
        ]}
        value={chosen ?? ''}
      />
      <SelectField
        name="type"
        label="Event type"
        choices={[
          { value: '', label: 'Any' },
          ...['webhook.ping', ...knownTypes.map(({ type }) => type)].map((type) => ({
            value: type,
            label: type,
          })),
        ]}
        value={visit.asked('type') ?? ''}
      />
      <StatusFilter
        choices={deliveryStatuses.map((value) => ({ value, label: deliveryWords[value] }))}
        value={visit.asked('status')}
      />
    </FilterForm>
  )
}

const shortUrl = (url: string): string => {
  const text = url.replace(/^https?:\/\//, '')
  return text.length > urlChars ? `${text.slice(0, urlChars - 1)}…` : text
}

const NoDeliveries = ({
  path,
  isFiltered,
  hasMore,
}: {
  path: string
  isFiltered: boolean
  hasMore: boolean
}) =>
  hasMore ? (
    <EmptyState title="None of the newest deliveries match this filter.">
      <p>Older deliveries are on the next page.</p>
    </EmptyState>
  ) : isFiltered ? (
    <EmptyState title="No deliveries match this filter.">
      <p>
        <a href={path}>Show all deliveries</a>
      </p>
    </EmptyState>
  ) : (
    <EmptyState title="Nothing has been sent yet.">
      <p>An endpoint first receives a ping. The events sent to it afterwards appear here.</p>
    </EmptyState>
  )
