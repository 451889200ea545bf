import { z } from 'zod'
import { defineArea } from '../define-area.ts'
import { jobFields, listField, nameField, textField, timestampField, urlField } from '../fields.ts'

export const extractionArea = defineArea({
  key: 'extraction',
  fields: {
    source_urls: listField(urlField, 20).min(1),
    schema: z.record(z.string(), z.json()).describe('The JSON Schema of one item.'),
    instructions: textField.optional(),
  },
  readOnly: {
    ...jobFields,
    items: listField(z.json()).optional(),
    errors: listField(z.strictObject({ url: urlField, message: textField }), 100).optional(),
    evidence: listField(
      z.strictObject({
        url: urlField,
        retrieved_at: timestampField.optional(),
        quote: textField.optional(),
      }),
    ).optional(),
    web_task_id: nameField.optional(),
  },
  filterable: ['status'],
  sortable: ['finished_at'],
  events: ['extraction.completed', 'extraction.failed'],
})
