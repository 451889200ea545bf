import { z } from 'zod'
import { defineArea } from '../define-area.ts'
import {
  dayField,
  listField,
  nameField,
  ratioField,
  textField,
  timestampField,
  urlField,
} from '../fields.ts'

const statuses = ['not_started', 'in_progress', 'blocked', 'completed', 'cancelled'] as const

const step = z.strictObject({
  key: z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/, 'must be lower-case letters, digits, - and _'),
  title: nameField,
  owner: z.enum(['client', 'provider']),
  status: z.enum(statuses).default('not_started'),
  due_on: dayField.optional(),
  completed_at: timestampField.optional(),
  artifacts: listField(z.strictObject({ title: nameField, url: urlField }), 20).default([]),
})

export const onboardingArea = defineArea({
  key: 'onboarding',
  fields: {
    name: nameField,
    template: nameField.optional(),
    notes: textField.optional(),
    status: z.enum(statuses).default('not_started'),
    steps: listField(step, 100).default([]),
    target_go_live_on: dayField.optional(),
  },
  readOnly: {
    progress: ratioField.optional().describe('The share of completed steps, from 0 to 1.'),
  },
  filterable: ['status', 'template'],
  sortable: ['name', 'target_go_live_on', 'progress'],
  operations: ['create', 'patch', 'delete'],
  derive: (after) => {
    const steps = z.array(step).parse(after['steps'] ?? [])
    const done = steps.filter(({ status }) => status === 'completed').length
    return { progress: steps.length === 0 ? undefined : done / steps.length }
  },
  events: ['onboarding.step_completed', 'onboarding.completed'],
})
