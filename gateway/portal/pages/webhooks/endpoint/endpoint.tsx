/** One endpoint: its state, verification, deliveries, and actions. */
import type { EndpointView } from '../../../../../proto/access/webhooks/endpoint.ts'
import { ErrorSummary } from '../../../../html/form.tsx'
import {
  ButtonLink,
  IdCode,
  EmptyState,
  FactList,
  NoticeBox,
  PageSection,
  TimeText,
} from '../../../../html/parts.tsx'
import { accessTitle } from '../../../html/access-title.tsx'
import type { FormProblem } from '../../../../html/forms/problem.ts'
import type { PageContent } from '../../../../html/page-content.ts'
import type { Visit } from '../../../visit.ts'
import { clientName, objectNameOf } from '../../../words/names.ts'
import { DeliveryTable } from '../deliveries/delivery-table.tsx'
import { EventNames } from './events.tsx'
import { deliveriesFor, endpointOf, grantOf, isMine, type DeliveryData } from '../lookup.ts'
import { EndpointStatusMark } from '../list.tsx'
import { ManageEndpoint } from './manage.tsx'
import { EndpointProof } from './proof.tsx'
import { EndpointSecrets } from './secrets.tsx'
import { whyWords } from '../words.ts'

const deliveriesShown = '10'

export async function showEndpoint(visit: Visit, problem?: FormProblem): Promise<PageContent> {
  const endpoint = await endpointOf(visit)
  const { id, url } = endpoint
  const { data } = await deliveriesFor(visit, { endpoint_id: id, limit: deliveriesShown })
  const mine = isMine(visit, endpoint)
  return {
    title: hostOf(url),
    up: { href: visit.at('/webhooks'), label: 'Webhooks' },
    actions: <EndpointStatusMark of={endpoint} />,
    body: (
      <>
        <ErrorSummary problem={problem} fields={fields(visit)} />
        <Why endpoint={endpoint} />
        {endpoint.status === 'pending' ? (
          <EndpointProof visit={visit} endpoint={endpoint} isMine={mine} deliveries={data} />
        ) : (
          ''
        )}
        <About visit={visit} endpoint={endpoint} isMine={mine} />
        <Sent visit={visit} endpoint={endpoint} deliveries={data} />
        <EndpointSecrets visit={visit} endpoint={endpoint} isMine={mine} problem={problem} />
        {mine ? <ManageEndpoint visit={visit} endpoint={endpoint} problem={problem} /> : ''}
      </>
    ),
  }
}

const fields = (visit: Visit) => [
  { name: 'reason', id: `reason-${visit.verb}`, label: 'Reason' },
  { name: 'event_type', label: 'Event type' },
  { name: 'grace_seconds', label: 'Keep signing with the old secret for' },
  { name: 'since', label: 'Since' },
  { name: 'until', label: 'Until' },
]

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)

/** Why it is not active or not healthy. */
const Why = ({ endpoint }: { endpoint: EndpointView }) => {
  const { status, reason, failingSinceMs } = endpoint
  if (status === 'active' && failingSinceMs !== undefined) {
    return (
      <NoticeBox tone="wait" title="Recent deliveries have failed">
        <p>
          Failed deliveries are retried for three days. After five days without a success, the
          endpoint is disabled.
        </p>
      </NoticeBox>
    )
  }
  const why = whyWords(endpoint)
  if (why === undefined) return <></>
  return (
    <NoticeBox tone={status === 'disabled' ? 'bad' : 'wait'} title={why}>
      {reason === undefined ? '' : <p>{reason}</p>}
    </NoticeBox>
  )
}

const About = ({
  visit,
  endpoint,
  isMine: mine,
}: {
  visit: Visit
  endpoint: EndpointView
  isMine: boolean
}) => {
  const { url, description, payload, verifiedAtMs, lastSuccessAtMs, failingSinceMs } = endpoint
  const grant = grantOf(visit, endpoint)
  const time = (ms: number | undefined) =>
    ms === undefined ? undefined : <TimeText ms={ms} zone={visit.zone} />
  return (
    <PageSection
      title="Settings"
      actions={
        mine ? <ButtonLink href={visit.at(`/webhooks/${endpoint.id}/edit`)}>Edit</ButtonLink> : ''
      }
    >
      <FactList
        of={[
          visit.isStaff && { term: 'Client', is: clientName(visit, endpoint.tenant) },
          { term: 'URL', is: <bdi>{url}</bdi> },
          description !== '' && { term: 'Description', is: description },
          grant && {
            term: 'Grant',
            is: <a href={visit.at(`/access/${grant.id}`)}>{accessTitle(visit, grant)}</a>,
          },
          { term: 'Events', is: <EventNames of={endpoint.events} isWhole /> },
          {
            term: 'Payload',
            is:
              payload === 'thin'
                ? 'IDs only; fetch the rest with a token'
                : 'The full record, as the grant shows it',
          },
          { term: 'Messages per second', is: String(endpoint.ratePerSecond) },
          { term: 'Verified', is: time(verifiedAtMs) ?? 'Not yet' },
          { term: 'Last success', is: time(lastSuccessAtMs) ?? 'None yet' },
          failingSinceMs !== undefined && { term: 'Failing since', is: time(failingSinceMs) ?? '' },
          {
            term: 'Created',
            is: (
              <>
                {time(endpoint.createdAtMs)}, by {objectNameOf(visit, endpoint.createdBy)}
              </>
            ),
          },
          { term: 'ID', is: <IdCode>{endpoint.id}</IdCode> },
        ]}
      />
    </PageSection>
  )
}

const Sent = ({
  visit,
  endpoint: { id, status },
  deliveries,
}: {
  visit: Visit
  endpoint: EndpointView
  deliveries: readonly DeliveryData[]
}) => (
  <PageSection
    title="Deliveries"
    actions={
      deliveries.length === 0 ? (
        ''
      ) : (
        <a href={visit.at(`/webhooks/deliveries?endpoint=${id}`)}>
          All deliveries of this endpoint
        </a>
      )
    }
  >
    {deliveries.length === 0 ? (
      <EmptyState title="Nothing has been sent yet.">
        <p>
          {status === 'pending'
            ? 'The first delivery is the ping that verifies the URL.'
            : 'New events appear here, with each attempt to deliver them.'}
        </p>
      </EmptyState>
    ) : (
      <DeliveryTable visit={visit} rows={deliveries} caption="Newest first" isOfOne />
    )}
  </PageSection>
)
