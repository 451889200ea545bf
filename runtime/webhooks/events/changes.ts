/** Events of the managed backlog. They contain ids and the state, but no text of a change. */
import type { ActorEventType } from './event-type.ts'

const changeEvent = (
  type: string,
  summary: string,
  status: string,
  ...events: readonly string[]
): ActorEventType => ({
  ...{ kind: 'change', type, summary },
  when: (moment) => moment.status === status && events.includes(moment.event),
  more: (moment) => ({ status: moment.status }),
})

export const changeEvents: readonly ActorEventType[] = [
  changeEvent('change.proposed', 'A change is waiting for its reviewers.', 'proposed', 'checked'),
  changeEvent(
    'change.approved',
    'A change was approved and can be scheduled.',
    'approved',
    'review',
    'checked',
  ),
  changeEvent('change.rejected', 'A reviewer rejected a change.', 'rejected', 'review'),
  changeEvent('change.scheduled', 'A change was scheduled.', 'scheduled', 'booked'),
  changeEvent('change.done', 'A change is done.', 'done', 'applied'),
  changeEvent('change.failed', 'A change failed.', 'failed', 'fail'),
]
