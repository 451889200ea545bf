/** Events of the managed backlog. They contain ids and the state, but no text of a change. */
import type { ActorEventType } from './event-type.ts'

const on = (
  type: string,
  summary: string,
  status: string,
  ...events: readonly string[]
): ActorEventType => ({
  ...{ kind: 'change', type, summary },
  when: (moment) => moment.status === status && events.includes(moment.event),
  more: (moment) => ({ status: moment.status }),
})

export const changes: readonly ActorEventType[] = [
  on('change.proposed', 'A change waits for its reviewers.', 'proposed', 'checked'),
  on('change.approved', 'A change may be scheduled.', 'approved', 'review', 'checked'),
  on('change.rejected', 'A reviewer rejected a change.', 'rejected', 'review'),
  on('change.scheduled', 'A change has its window.', 'scheduled', 'booked'),
  on('change.done', 'A change is done.', 'done', 'applied'),
  on('change.failed', 'A change failed.', 'failed', 'fail'),
]
