import {
  onFieldValue,
  withPrevious,
  onCreate,
  onDelete,
  onItemStatus,
  recordRule,
  recordTypes,
  onUpdate,
  type EventType,
} from './event-type.ts'

/** Caused by the clock: the record does not change. See `fan-out/due-tasks.ts`. */
export const taskOverdueEvent: EventType = {
  ...{ type: 'task.overdue', area: 'tasks' },
  summary: 'The due date of a task has passed, and it is still open.',
}

export const clientContextEvents = [
  ...recordTypes('contacts', [
    recordRule('contact.created', 'A contact was added.', onCreate),
    recordRule('contact.updated', 'A contact was changed.', onUpdate),
    recordRule('contact.deleted', 'A contact was deleted.', onDelete),
  ]),
  ...recordTypes('opportunities', [
    recordRule('opportunity.created', 'An opportunity was added.', onCreate),
    recordRule(
      'opportunity.stage_changed',
      'An opportunity moved to another stage.',
      (moment) => onUpdate(moment) && moment.changed.includes('stage_id'),
    ),
    recordRule('opportunity.won', 'An opportunity was won.', onFieldValue('status', 'won')),
    recordRule('opportunity.lost', 'An opportunity was lost.', onFieldValue('status', 'lost')),
  ]),
  ...recordTypes('tasks', [
    recordRule('task.created', 'A task was added.', onCreate),
    recordRule('task.completed', 'A task is done.', onFieldValue('status', 'completed')),
  ]),
  ...recordTypes('onboarding', [
    withPrevious(
      recordRule(
        'onboarding.step_completed',
        'A step of an onboarding is done.',
        onItemStatus('steps', 'key', 'completed'),
      ),
    ),
    recordRule(
      'onboarding.completed',
      'An onboarding is done.',
      onFieldValue('status', 'completed'),
    ),
  ]),
]
