import { z } from 'zod'
import { defineArea } from '../define-area.ts'
import {
  flagField,
  listField,
  nameField,
  personId,
  recordRef,
  textField,
  timestampField,
} from '../fields.ts'

const statuses = [
  'not_started',
  'in_progress',
  'waiting',
  'completed',
  'deferred',
  'cancelled',
] as const

export const tasksArea = defineArea({
  key: 'tasks',
  fields: {
    title: nameField,
    body: textField.optional(),
    status: z.enum(statuses).default('not_started'),
    priority: z.enum(['low', 'medium', 'high']).default('medium'),
    due_at: timestampField.optional(),
    assignee_id: personId.optional(),
    related: recordRef.optional(),
    checklist: listField(z.strictObject({ title: nameField, done: flagField }), 100).default([]),
  },
  readOnly: { completed_at: timestampField.optional() },
  filterable: ['status', 'priority', 'assignee_id'],
  sortable: ['title', 'priority', 'due_at', 'completed_at'],
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
