import { z } from 'zod'
import { defineArea } from './define-area.ts'
import { count, jobFields, list, name, recordRef, text, time } from './fields.ts'

export const aiAssistance = defineArea({
  key: 'ai-assistance',
  fields: {
    kind: z.enum(['draft', 'summarize', 'classify', 'answer']),
    prompt: text.min(1),
    context: list(recordRef, 50).default([]),
    provider: name.optional(),
  },
  readOnly: {
    ...jobFields,
    output: z.json().optional().describe('Made by a model, and not to be believed unread.'),
    citations: list(recordRef, 100).optional(),
    usage: z
      .strictObject({ input_tokens: count, output_tokens: count, cost_usd: z.number().min(0) })
      .partial()
      .optional(),
    review: z
      .strictObject({ status: z.enum(['unreviewed', 'accepted', 'rejected']), by: name, at: time })
      .partial()
      .optional(),
  },
  filterable: ['kind', 'status', 'provider'],
  sortable: ['finished_at'],
  references: [{ field: 'context', to: 'any' }],
  events: ['ai_assistance.completed'],
})
