/** Events about a client's own access: requests and their outcome. They contain ids only. */
import type { ActorEventType, ActorMoment } from './event-type.ts'

const governanceEvent = (
  kind: 'request' | 'grant',
  type: string,
  summary: string,
  when: ActorEventType['when'],
): ActorEventType => ({ kind, type, summary, when, more })

const more = ({ status, context }: ActorMoment): Readonly<Record<string, string>> => {
  // The client's owner is notified at once, because a single reviewer has approved this.
  const opened = status === 'active' && context['emergency'] === true ? 'emergency' : undefined
  const reason = context['endReason'] ?? opened
  return { status, ...(typeof reason === 'string' && { reason }) }
}

/** True if this event moved it into the state. */
const enters =
  (status: string, ...events: readonly string[]): ActorEventType['when'] =>
  (moment) =>
    moment.status === status && events.includes(moment.event)

const endings = ['end', 'deadline.ends', 'deadline.postReview', 'effect.failed', 'confirmed']

export const governanceEvents: readonly ActorEventType[] = [
  governanceEvent(
    'request',
    'access_request.submitted',
    'An access request was submitted.',
    enters('pending', 'checked'),
  ),
  governanceEvent(
    'request',
    'access_request.approved',
    'All required reviewers approved an access request.',
    enters('approved', 'review'),
  ),
  governanceEvent(
    'request',
    'access_request.denied',
    'A reviewer denied an access request.',
    enters('denied', 'review'),
  ),
  governanceEvent(
    'request',
    'access_request.expired',
    'An access request was not decided in time.',
    enters('expired', 'deadline.expires'),
  ),
  governanceEvent(
    'grant',
    'grant.activated',
    'A grant became active; `reason` is `emergency` if one reviewer was enough.',
    enters('active', 'confirmed', 'deadline.starts'),
  ),
  governanceEvent(
    'grant',
    'grant.expiring',
    'A grant ends in a week or, if it is short, has a tenth of its time left.',
    ({ event, status }) =>
      event === 'deadline.expiring' && (status === 'active' || status === 'suspended'),
  ),
  governanceEvent('grant', 'grant.revoked', 'A grant was revoked.', enters('revoked', 'revoke')),
  governanceEvent('grant', 'grant.ended', 'A grant has ended.', enters('ended', ...endings)),
]
