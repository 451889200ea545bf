/** One delivery: its content, its attempts, and sending it again. */
import { isAreaKey } from '../../../../proto/access/areas.ts'
import { ErrorSummary, PostForm, Submit } from '../../html/form.tsx'
import { Code, Due, Empty, Facts, Notice, Section, Time } from '../../html/parts.tsx'
import { Table } from '../../html/table.tsx'
import type { Elsewhere, Problem, Shown } from '../../page.ts'
import type { Visit } from '../../visit.ts'
import { clientName } from '../../words/names.ts'
import { words } from '../../words/words.ts'
import { DeliveryStatus } from './delivery-table.tsx'
import { deliveryOf, isMine, type Delivery } from './found.ts'
import { errorWords, notSentWords, triggerWords } from './words.ts'

export async function showDelivery(visit: Visit, problem?: Problem): Promise<Shown> {
  const { body, ...delivery } = await deliveryOf(visit)
  return {
    title: delivery.event_type,
    up: {
      href: visit.at(`/webhooks/deliveries?endpoint=${delivery.endpoint_id}`),
      label: 'Deliveries',
    },
    actions: <DeliveryStatus of={delivery} />,
    body: (
      <>
        <ErrorSummary problem={problem} />
        {delivery.reason === undefined ? (
          ''
        ) : (
          <Notice tone="wait" title={notSentWords(delivery.reason)}>
            <p>Once the endpoint is active again, it can be sent again.</p>
          </Notice>
        )}
        <About visit={visit} of={delivery} />
        <Again visit={visit} of={delivery} />
        <Attempts visit={visit} of={delivery} />
        <Body visit={visit} of={delivery} body={body} />
      </>
    ),
  }
}

const About = ({ visit, of }: { visit: Visit; of: Delivery }) => {
  const { endpoint_id: endpointId, next_attempt_at: next, completed_at: completed } = of
  const time = (text: string) => <Time ms={Date.parse(text)} zone={visit.zone} />
  return (
    <Facts
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
        { term: 'About', is: <ObjectLink visit={visit} of={of.object} /> },
        { term: 'Why it is sent', is: triggerWords[of.trigger] },
        { term: 'Begun', is: time(of.created_at) },
        next !== undefined && {
          term: 'Next attempt',
          is: <Due ms={Date.parse(next)} zone={visit.zone} now={visit.now} />,
        },
        completed !== undefined && { term: 'Over', is: time(completed) },
        { term: 'webhook-id', is: <Code>{of.event_id}</Code> },
        { term: 'ID', is: <Code>{of.id}</Code> },
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
const ObjectLink = ({ visit, of }: { visit: Visit; of: Delivery['object'] }) => {
  const { area, kind = '', id } = of
  const isRead = area !== undefined && isAreaKey(area) && visit.held(area, 'read').length > 0
  const page = area === undefined ? pages[kind] : isRead ? `/records/${area}` : undefined
  const label = (
    <>
      {words(area ?? kind)} <Code>{id}</Code>
    </>
  )
  return page === undefined ? label : <a href={visit.at(`${page}/${id}`)}>{label}</a>
}

const Again = ({ visit, of }: { visit: Visit; of: Delivery }) => {
  const endpoint = visit.find('endpoint', of.endpoint_id)
  if (!endpoint || !isMine(visit, endpoint)) return <></>
  if (endpoint.status !== 'active') {
    return <p class="quiet">It can be sent again once the endpoint is active.</p>
  }
  return (
    <PostForm visit={visit} action={visit.at(`/webhooks/deliveries/${of.id}/replay`)} isOnce>
      <Submit kind="plain">Send it again</Submit>
    </PostForm>
  )
}

const Attempts = ({ visit, of: { attempts } }: { visit: Visit; of: Delivery }) => (
  <Section title="Attempts">
    {attempts.length === 0 ? (
      <Empty title="There was no attempt yet." />
    ) : (
      <Table
        caption="In their order"
        rows={attempts}
        columns={[
          { label: 'Number', isHead: true, cell: ({ n }) => String(n) },
          { label: 'When', cell: ({ at }) => <Time ms={Date.parse(at)} zone={visit.zone} /> },
          { label: 'Status', cell: ({ status_code: status }) => String(status ?? '–') },
          { label: 'Took', isNumber: true, cell: ({ duration_ms: ms }) => `${ms} ms` },
          {
            label: 'What came of it',
            cell: ({ error }) => (error === undefined ? 'It arrived' : errorWords(error)),
          },
          {
            label: 'Answer',
            cell: ({ response_excerpt: text }) =>
              text === undefined ? '–' : <code class="excerpt">{text}</code>,
          },
        ]}
      />
    )}
  </Section>
)

const Body = ({ visit, of, body }: { visit: Visit; of: Delivery; body: unknown }) => (
  <Section title="What is sent">
    {visit.find('endpoint', of.endpoint_id)?.payload === 'full' ? (
      <p class="quiet">The record comes with it, as the grant shows it when it is sent.</p>
    ) : (
      ''
    )}
    <pre tabindex={0} role="region" aria-label="The body as JSON">
      <code>{JSON.stringify(body, null, 2)}</code>
    </pre>
  </Section>
)

export async function replay(visit: Visit): Promise<Elsewhere> {
  const id = visit.param('id')
  const act = { params: { id }, once: visit.form.text('once') }
  await visit.do('POST /v1/webhook-deliveries/{id}/replay', act)
  return { to: visit.at(`/webhooks/deliveries/${id}`), told: 'replayed' }
}
