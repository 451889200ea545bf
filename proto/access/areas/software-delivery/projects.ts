import { z } from 'zod'
import { defineArea } from '../define-area.ts'
import {
  dayField,
  flagField,
  listField,
  nameField,
  personId,
  textField,
  urlField,
} from '../fields.ts'

export const projectsArea = defineArea({
  key: 'projects',
  fields: {
    name: nameField,
    code: nameField.optional(),
    description: textField.optional(),
    status: z.enum(['proposed', 'active', 'on_hold', 'completed', 'cancelled']).default('proposed'),
    health: z.enum(['on_track', 'at_risk', 'off_track']).optional(),
    lead_id: personId.optional(),
    start_on: dayField.optional(),
    target_on: dayField.optional(),
    milestones: listField(
      z.strictObject({
        title: nameField,
        due_on: dayField.optional(),
        done: flagField.default(false),
      }),
      100,
    ).default([]),
    repository_url: urlField.optional(),
  },
  filterable: ['code', 'status', 'health', 'lead_id'],
  sortable: ['name', 'code', 'start_on', 'target_on'],
  references: [{ field: 'lead_id', to: 'person' }],
  events: ['project.status_changed'],
})
