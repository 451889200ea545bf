/**
 * The verification of an endpoint's URL: how the receiver must answer the ping, and the last
 * result.
 */
import type { EndpointView } from '../../../../../proto/access/webhooks/endpoint.ts'
import { isDeliveryOpen } from '../../../../../proto/access/webhooks/delivery.ts'
import { webhookLimits as limits } from '../../../../../proto/access/webhooks/webhook-limits.ts'
import { PostForm, SubmitButton } from '../../../../html/form.tsx'
import { PageSection, TimeText } from '../../../../html/parts.tsx'
import type { Visit } from '../../../visit.ts'
import type { DeliveryData } from '../lookup.ts'
import { errorWords } from '../words.ts'

export const PingButton = ({ visit, id, label }: { visit: Visit; id: string; label: string }) => (
  <PostForm visit={visit} action={visit.at(`/webhooks/${id}/verify`)}>
    <SubmitButton>{label}</SubmitButton>
  </PostForm>
)

export const EndpointProof = ({
  visit,
  endpoint,
  isMine,
  deliveries,
}: {
  visit: Visit
  endpoint: EndpointView
  isMine: boolean
  /** Newest first. */
  deliveries: readonly DeliveryData[]
}) => {
  const last = deliveries.find(({ trigger }) => trigger === 'verify')
  return (
    <PageSection title="Verify the endpoint">
      <p>
        No events are sent to this URL until it has answered a ping. The ping is a signed POST
        request of type <code class="id">webhook.ping</code>. Respond with any status from 200 to
        299 within {limits.requestMs / 1_000} seconds; the response needs no body.
      </p>
      {last === undefined ? '' : <LastPing visit={visit} of={last} />}
      {isMine ? (
        <PingButton
          visit={visit}
          id={endpoint.id}
          label={last === undefined ? 'Send the ping' : 'Send the ping again'}
        />
      ) : (
        <p class="quiet">Only the holder of its grant can send the ping.</p>
      )}
    </PageSection>
  )
}

const LastPing = ({ visit, of }: { visit: Visit; of: DeliveryData }) => {
  const attempt = of.attempts.at(-1)
  return (
    <p role="status">
      Last ping: <TimeText ms={Date.parse(of.created_at)} zone={visit.zone} />.{' '}
      {isDeliveryOpen(of) ? (
        <>
          It is being sent. <a href={visit.at(`/webhooks/${of.endpoint_id}`)}>Reload</a>
        </>
      ) : attempt?.error !== undefined ? (
        <>
          {errorWords(attempt.error)}
          {attempt.status_code === undefined ? '' : ` (${attempt.status_code})`}.{' '}
          <a href={visit.at(`/webhooks/deliveries/${of.id}`)}>View the ping</a>
        </>
      ) : of.status === 'delivered' ? (
        'It was answered, but the URL or the status has changed since.'
      ) : (
        'It was not sent.'
      )}
    </p>
  )
}
