import { z } from 'zod'
import { defineArea } from './define-area.ts'
import { jobFields, list, name, recordRef, share, time, url } from './fields.ts'

const proposal = z.strictObject({
  field: name,
  current: z.json().optional(),
  value: z.json(),
  confidence: share.optional(),
  source_url: url.optional(),
})

export const enrichment = defineArea({
  key: 'enrichment',
  fields: {
    subject: recordRef,
    fields: list(name, 100).min(1),
    provider: name.optional(),
  },
  readOnly: {
    ...jobFields,
    proposals: list(proposal, 100).optional(),
    applied: list(z.strictObject({ field: name, at: time, by: name }), 100).optional(),
    web_task_id: name.optional(),
  },
  filterable: ['status', 'provider'],
  sortable: ['finished_at'],
  references: [{ field: 'subject', to: 'any' }],
  events: ['enrichment.completed'],
})
