/** The states of endpoints and deliveries in words. */
import type {
  AttemptError,
  DeliveryReason,
  DeliveryStatus,
  DeliveryTrigger,
} from '../../../../proto/access/webhooks/delivery.ts'
import type { EndpointReason, EndpointView } from '../../../../proto/access/webhooks/endpoint.ts'

interface StatusLabel {
  readonly label: string
  /** A state with a tone in `words/words.ts`. */
  readonly tone: string
}

type EndpointStatusFields = Pick<EndpointView, 'status' | 'statusReason' | 'failingSinceMs'>

export function endpointStatusLabel({
  status,
  statusReason,
  failingSinceMs,
}: EndpointStatusFields): StatusLabel {
  if (status === 'pending') return { label: 'Unverified', tone: 'waiting' }
  if (status === 'active') {
    return failingSinceMs === undefined
      ? { label: 'Active', tone: 'active' }
      : { label: 'Active, failing', tone: 'degraded' }
  }
  if (statusReason === 'by_request') return { label: 'Paused', tone: 'paused' }
  return { label: 'Disabled', tone: statusReason === 'grant_ended' ? 'ended' : 'failed' }
}

const reasons: Readonly<Record<EndpointReason, string>> = {
  by_request: 'The endpoint is paused.',
  failing: 'The endpoint was disabled after five days without a successful delivery.',
  gone: 'The endpoint was disabled because it responded with 410 (Gone).',
  grant_ended: 'The grant of this endpoint has ended. Add an endpoint for another grant.',
  url_changed: 'The URL was changed, so the endpoint must be verified again.',
}

/** Shorter forms for lists. */
export const shortReasons: Readonly<Record<EndpointReason, string>> = {
  by_request: 'By a person',
  failing: 'Five days without a success',
  gone: 'Responded with 410',
  grant_ended: 'Grant ended',
  url_changed: 'URL changed',
}

export const whyWords = ({ statusReason }: EndpointStatusFields): string | undefined =>
  statusReason && reasons[statusReason]

export const deliveryWords: Readonly<Record<DeliveryStatus, string>> = {
  pending: 'Waiting',
  sending: 'Sending',
  retrying: 'Will be retried',
  delivered: 'Delivered',
  exhausted: 'Failed',
  cancelled: 'Not sent',
}

const notSent: Readonly<Record<DeliveryReason, string>> = {
  endpoint_disabled: 'The endpoint was not active.',
  grant_ended: 'The grant had ended.',
  access_suspended: 'Access was suspended at that time.',
  not_granted: 'The grant did not allow reading this record at that time.',
  backlog_full: 'Too many deliveries were already waiting for this endpoint.',
}
export const notSentWords = (reason: string): string =>
  notSent[reason as DeliveryReason] ?? 'It was not sent.'

export const triggerWords: Readonly<Record<DeliveryTrigger, string>> = {
  event: 'An event that the endpoint subscribes to',
  manual: 'Sent again by a person',
  recover: 'Recovery of missed events',
  test: 'Test event',
  verify: 'Ping to verify the endpoint',
}

const errors: Readonly<Record<AttemptError, string>> = {
  status: 'It did not respond with a status from 200 to 299',
  redirect: 'It responded with a redirect, which is not followed',
  blocked_address: 'Its address is not on the public internet',
  dns: 'Its host name was not found',
  connection: 'The connection failed',
  timeout: 'It did not respond within 15 seconds',
  tls: 'Its certificate is not valid, or TLS failed',
  interrupted: 'The sender stopped midway, so it was sent again',
  unsignable: 'It could not be signed. Rotate the secret',
}
/** Shorter forms for lists. */
const short: Readonly<Record<AttemptError, string>> = {
  status: 'Refused',
  redirect: 'Redirect',
  blocked_address: 'Blocked address',
  dns: 'Unknown host',
  connection: 'No connection',
  timeout: 'Timeout',
  tls: 'TLS failed',
  interrupted: 'Interrupted',
  unsignable: 'Not signed',
}
export const shortErrorWords = (error: string): string => short[error as AttemptError] ?? 'Failed'

export const errorWords = (error: string): string => errors[error as AttemptError] ?? 'It failed'
