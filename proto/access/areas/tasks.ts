import { z } from 'zod'
import { defineArea } from './define-area.ts'
import { flag, list, name, personId, recordRef, text, time } from './fields.ts'

const statuses = [
  'not_started',
  'in_progress',
  'waiting',
  'completed',
  'deferred',
  'cancelled',
] as const

export const tasks = defineArea({
  key: 'tasks',
  fields: {
    title: name,
    body: text.optional(),
    status: z.enum(statuses).default('not_started'),
    priority: z.enum(['low', 'medium', 'high']).default('medium'),
    due_at: time.optional(),
    assignee_id: personId.optional(),
    related: recordRef.optional(),
    checklist: list(z.strictObject({ title: name, done: flag }), 100).default([]),
  },
  readOnly: { completed_at: time.optional() },
  filterable: ['status', 'priority', 'assignee_id'],
  sortable: ['title', 'due_at', 'completed_at'],
  operations: ['create', 'patch', 'delete'],
  references: [
    { field: 'assignee_id', to: 'person' },
    { field: 'related', to: 'any' },
  ],
  derive: (after, before, at) => {
    if (after['status'] !== 'completed') return { completed_at: undefined }
    return before['status'] === 'completed' ? {} : { completed_at: at }
  },
  events: ['task.created', 'task.completed', 'task.overdue'],
})
