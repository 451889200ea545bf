import { z } from 'zod'
import { defineArea } from '../define-area.ts'
import {
  jobFields,
  listField,
  nameField,
  recordRef,
  ratioField,
  timestampField,
  urlField,
} from '../fields.ts'

const proposal = z.strictObject({
  field: nameField,
  current: z.json().optional(),
  value: z.json(),
  confidence: ratioField.optional(),
  source_url: urlField.optional(),
})

export const enrichmentArea = defineArea({
  key: 'enrichment',
  fields: {
    subject: recordRef,
    fields: listField(nameField, 100).min(1),
    provider: nameField.optional(),
  },
  readOnly: {
    ...jobFields,
    proposals: listField(proposal, 100).optional(),
    applied: listField(
      z.strictObject({ field: nameField, at: timestampField, by: nameField }),
      100,
    ).optional(),
    web_task_id: nameField.optional(),
  },
  filterable: ['status', 'provider'],
  sortable: ['finished_at'],
  references: [{ field: 'subject', to: 'any' }],
  events: ['enrichment.completed'],
})
