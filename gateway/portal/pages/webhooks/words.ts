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
  if (status === 'pending') return { label: 'Waiting for proof', tone: 'waiting' }
  if (status === 'active') {
    return failingSinceMs === undefined
      ? { label: 'Active', tone: 'active' }
      : { label: 'Active, failing', tone: 'degraded' }
  }
  if (statusReason === 'by_request') return { label: 'Paused', tone: 'paused' }
  return { label: 'Switched off', tone: statusReason === 'grant_ended' ? 'ended' : 'failed' }
}

const reasons: Readonly<Record<EndpointReason, string>> = {
  by_request: 'Somebody paused it.',
  failing: 'It was switched off after five days without a success.',
  gone: 'It was switched off because it answered 410, which says that it is gone.',
  grant_ended: 'Its grant has ended. Make an endpoint of another grant.',
  url_changed: 'Its URL was changed, so it has to prove once more whose it is.',
}

/** Shorter forms for lists. */
export const shortReasons: Readonly<Record<EndpointReason, string>> = {
  by_request: 'By somebody',
  failing: 'Five days without a success',
  gone: 'It answered 410',
  grant_ended: 'Its grant has ended',
  url_changed: 'Its URL was changed',
}

export const whyWords = ({ statusReason }: EndpointStatusFields): string | undefined =>
  statusReason && reasons[statusReason]

export const deliveryWords: Readonly<Record<DeliveryStatus, string>> = {
  pending: 'Waiting',
  sending: 'Being sent',
  retrying: 'To be tried again',
  delivered: 'Delivered',
  exhausted: 'Given up',
  cancelled: 'Not sent',
}

const notSent: Readonly<Record<DeliveryReason, string>> = {
  endpoint_disabled: 'The endpoint was not active.',
  grant_ended: 'The grant had ended.',
  access_suspended: 'The access was suspended at that moment.',
  not_granted: 'The grant did not include reading this at that moment.',
  backlog_full: 'Too much waited for this endpoint already.',
}
export const notSentWords = (reason: string): string =>
  notSent[reason as DeliveryReason] ?? 'It was not sent.'

export const triggerWords: Readonly<Record<DeliveryTrigger, string>> = {
  event: 'The endpoint is told of such events',
  manual: 'Somebody had it sent again',
  recover: 'Recovered with a period',
  test: 'A test, asked for by somebody',
  verify: 'A ping, to prove whose the endpoint is',
}

const errors: Readonly<Record<AttemptError, string>> = {
  status: 'It did not answer with a status from 200 to 299',
  redirect: 'It answered with a redirect, which is not followed',
  blocked_address: 'Its address is not on the public internet',
  dns: 'Its name was not found',
  connection: 'The connection failed',
  timeout: 'It did not answer within 15 seconds',
  tls: 'Its certificate is not good, or TLS failed',
  interrupted: 'The sender stopped midway, so it was sent again',
  unsignable: 'It could not be signed: rotate the secret',
}
/** Shorter forms for lists. */
const short: Readonly<Record<AttemptError, string>> = {
  status: 'Refused',
  redirect: 'A redirect',
  blocked_address: 'Blocked address',
  dns: 'No such name',
  connection: 'No connection',
  timeout: 'No answer',
  tls: 'TLS failed',
  interrupted: 'Interrupted',
  unsignable: 'Not signed',
}
export const shortErrorWords = (error: string): string => short[error as AttemptError] ?? 'Failed'

export const errorWords = (error: string): string => errors[error as AttemptError] ?? 'It failed'
