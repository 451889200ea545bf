/** One delivery: its content, its attempts, and sending it again. */
import { isAreaKey } from '../../../../../proto/access/areas/areas.ts'
import { ErrorSummary, PostForm, SubmitButton } from '../../../../html/form.tsx'
import {
  IdCode,
  DueDay,
  EmptyState,
  FactList,
  NoticeBox,
  PageSection,
  TimeText,
} from '../../../../html/parts.tsx'
import { DataTable } from '../../../../html/table.tsx'
import type { Redirect } from '../../../page.ts'
import type { FormProblem } from '../../../../html/forms/problem.ts'
import type { PageContent } from '../../../../html/page-content.ts'
import type { Visit } from '../../../visit.ts'
import { clientName } from '../../../words/names.ts'
import { toWords } from '../../../words/words.ts'
import { DeliveryStatusMark } from './delivery-table.tsx'
import { deliveryOf, isMine, type DeliveryData } from '../lookup.ts'
import { errorWords, notSentWords, triggerWords } from '../words.ts'

export async function showDelivery(visit: Visit, problem?: FormProblem): Promise<PageContent> {
  const { body, ...delivery } = await deliveryOf(visit)
  return {
    title: delivery.event_type,
    up: {
      href: visit.at(`/webhooks/deliveries?endpoint=${delivery.endpoint_id}`),
      label: 'Deliveries',
    },
    actions: <DeliveryStatusMark of={delivery} />,
    body: (
      <>
        <ErrorSummary problem={problem} />
        {delivery.reason === undefined ? (
          ''
        ) : (
          <NoticeBox tone="wait" title={notSentWords(delivery.reason)}>
            <p>Once the endpoint is active again, you can send it again.</p>
          </NoticeBox>
        )}
        <About visit={visit} of={delivery} />
        <Again visit={visit} of={delivery} />
        <Attempts visit={visit} of={delivery} />
        <Body visit={visit} of={delivery} body={body} />
      </>
    ),
  }
}

const About = ({ visit, of }: { visit: Visit; of: DeliveryData }) => {
  const { endpoint_id: endpointId, next_attempt_at: next, completed_at: completed } = of
  const time = (text: string) => <TimeText ms={Date.parse(text)} zone={visit.zone} />
  return (
    <FactList
      of={[
        visit.isStaff && { term: 'Client', is: clientName(visit, of.client_id ?? '') },
        {
          term: 'Endpoint',
          is: (
            <a href={visit.at(`/webhooks/${endpointId}`)}>
              {visit.find('endpoint', endpointId)?.url ?? 'Removed'}
            </a>
          ),
        },
        { term: 'Object', is: <ObjectLink visit={visit} of={of.object} /> },
        { term: 'Trigger', is: triggerWords[of.trigger] },
        { term: 'Created', is: time(of.created_at) },
        next !== undefined && {
          term: 'Next attempt',
          is: <DueDay ms={Date.parse(next)} zone={visit.zone} now={visit.now} />,
        },
        completed !== undefined && { term: 'Completed', is: time(completed) },
        { term: 'webhook-id', is: <IdCode>{of.event_id}</IdCode> },
        { term: 'ID', is: <IdCode>{of.id}</IdCode> },
      ]}
    />
  )
}

const pages: Readonly<Record<string, string>> = {
  request: '/requests',
  grant: '/access',
  webhook_endpoint: '/webhooks',
}

/** A link if this person has a page for the object. */
const ObjectLink = ({ visit, of }: { visit: Visit; of: DeliveryData['object'] }) => {
  const { area, kind = '', id } = of
  const isRead = area !== undefined && isAreaKey(area) && visit.held(area, 'read').length > 0
  const page = area === undefined ? pages[kind] : isRead ? `/records/${area}` : undefined
  const label = (
    <>
      {toWords(area ?? kind)} <IdCode>{id}</IdCode>
    </>
  )
  return page === undefined ? label : <a href={visit.at(`${page}/${id}`)}>{label}</a>
}

const Again = ({ visit, of }: { visit: Visit; of: DeliveryData }) => {
  const endpoint = visit.find('endpoint', of.endpoint_id)
  if (!endpoint || !isMine(visit, endpoint)) return <></>
  if (endpoint.status !== 'active') {
    return <p class="quiet">You can send it again once the endpoint is active.</p>
  }
  return (
    <PostForm visit={visit} action={visit.at(`/webhooks/deliveries/${of.id}/replay`)} isOnce>
      <SubmitButton kind="plain">Send again</SubmitButton>
    </PostForm>
  )
}

const Attempts = ({ visit, of: { attempts } }: { visit: Visit; of: DeliveryData }) => (
  <PageSection title="Attempts">
    {attempts.length === 0 ? (
      <EmptyState title="There have been no attempts yet." />
    ) : (
      <DataTable
        caption="Oldest first"
        rows={attempts}
        columns={[
          { label: 'Attempt', isHead: true, cell: ({ n }) => String(n) },
          { label: 'When', cell: ({ at }) => <TimeText ms={Date.parse(at)} zone={visit.zone} /> },
          { label: 'Status', cell: ({ status_code: status }) => String(status ?? '–') },
          { label: 'Duration', isNumber: true, cell: ({ duration_ms: ms }) => `${ms} ms` },
          {
            label: 'Result',
            cell: ({ error }) => (error === undefined ? 'Delivered' : errorWords(error)),
          },
          {
            label: 'Response',
            cell: ({ response_excerpt: text }) =>
              text === undefined ? '–' : <code class="excerpt">{text}</code>,
          },
        ]}
      />
    )}
  </PageSection>
)

const Body = ({ visit, of, body }: { visit: Visit; of: DeliveryData; body: unknown }) => (
  <PageSection title="Payload">
    {visit.find('endpoint', of.endpoint_id)?.payload === 'full' ? (
      <p class="quiet">
        The record is added when the message is sent, as far as the grant shows it at that moment.
      </p>
    ) : (
      ''
    )}
    <pre tabindex={0} role="region" aria-label="Payload as JSON">
      <code>{JSON.stringify(body, null, 2)}</code>
    </pre>
  </PageSection>
)

export async function replayOneDelivery(visit: Visit): Promise<Redirect> {
  const id = visit.param('id')
  const act = { params: { id }, once: visit.form.text('once') }
  await visit.do('POST /v1/webhook-deliveries/{id}/replay', act)
  return { to: visit.at(`/webhooks/deliveries/${id}`), notice: 'replayed' }
}
