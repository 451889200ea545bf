import { z } from 'zod'
import { defineArea } from './define-area.ts'
import { day, flag, list, name, personId, text, url } from './fields.ts'

export const projects = defineArea({
  key: 'projects',
  fields: {
    name,
    code: name.optional(),
    description: text.optional(),
    status: z.enum(['proposed', 'active', 'on_hold', 'completed', 'cancelled']).default('proposed'),
    health: z.enum(['on_track', 'at_risk', 'off_track']).optional(),
    lead_id: personId.optional(),
    start_on: day.optional(),
    target_on: day.optional(),
    milestones: list(
      z.strictObject({ title: name, due_on: day.optional(), done: flag.default(false) }),
      100,
    ).default([]),
    repository_url: url.optional(),
  },
  filterable: ['code', 'status', 'health', 'lead_id'],
  sortable: ['name', 'code', 'start_on', 'target_on'],
  references: [{ field: 'lead_id', to: 'person' }],
  events: ['project.status_changed'],
})
