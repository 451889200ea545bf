import { z } from 'zod'
import { defineArea } from './define-area.ts'
import { jobFields, list, name, text, time, url } from './fields.ts'

export const extraction = defineArea({
  key: 'extraction',
  fields: {
    source_urls: list(url, 20).min(1),
    schema: z.record(z.string(), z.json()).describe('A JSON Schema of one item.'),
    instructions: text.optional(),
  },
  readOnly: {
    ...jobFields,
    items: list(z.json()).optional(),
    errors: list(z.strictObject({ url, message: text }), 100).optional(),
    evidence: list(
      z.strictObject({ url, retrieved_at: time.optional(), quote: text.optional() }),
    ).optional(),
    web_task_id: name.optional(),
  },
  filterable: ['status'],
  sortable: ['finished_at'],
  events: ['extraction.completed', 'extraction.failed'],
})
