import {
  becomes,
  comparing,
  created,
  deleted,
  itemReaches,
  on,
  recordTypes,
  updated,
  type EventType,
} from './event-type.ts'

/** Caused by the clock: the record does not change. See `fan-out/due-tasks.ts`. */
export const overdue: EventType = {
  ...{ type: 'task.overdue', area: 'tasks' },
  summary: 'The due date of a task has passed, and it is still open.',
}

export const clientContext = [
  ...recordTypes('contacts', [
    on('contact.created', 'A contact was added.', created),
    on('contact.updated', 'A contact was changed.', updated),
    on('contact.deleted', 'A contact was deleted.', deleted),
  ]),
  ...recordTypes('opportunities', [
    on('opportunity.created', 'An opportunity was added.', created),
    on(
      'opportunity.stage_changed',
      'An opportunity is in another stage.',
      (moment) => updated(moment) && moment.changed.includes('stage_id'),
    ),
    on('opportunity.won', 'An opportunity was won.', becomes('status', 'won')),
    on('opportunity.lost', 'An opportunity was lost.', becomes('status', 'lost')),
  ]),
  ...recordTypes('tasks', [
    on('task.created', 'A task was added.', created),
    on('task.completed', 'A task is done.', becomes('status', 'completed')),
  ]),
  ...recordTypes('onboarding', [
    comparing(
      on(
        'onboarding.step_completed',
        'A step of an onboarding is done.',
        itemReaches('steps', 'key', 'completed'),
      ),
    ),
    on('onboarding.completed', 'An onboarding is done.', becomes('status', 'completed')),
  ]),
]
