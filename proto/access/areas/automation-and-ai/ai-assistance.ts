import { z } from 'zod'
import { defineArea } from '../define-area.ts'
import {
  countField,
  jobFields,
  listField,
  nameField,
  recordRef,
  textField,
  timestampField,
} from '../fields.ts'

export const aiAssistanceArea = defineArea({
  key: 'ai-assistance',
  fields: {
    kind: z.enum(['draft', 'summarize', 'classify', 'answer']),
    prompt: textField.min(1),
    context: listField(recordRef, 50).default([]),
    provider: nameField.optional(),
  },
  readOnly: {
    ...jobFields,
    output: z.json().optional().describe('Written by a model; check it before you rely on it.'),
    citations: listField(recordRef, 100).optional(),
    usage: z
      .strictObject({
        input_tokens: countField,
        output_tokens: countField,
        cost_usd: z.number().min(0),
      })
      .partial()
      .optional(),
    review: z
      .strictObject({
        status: z.enum(['unreviewed', 'accepted', 'rejected']),
        by: nameField,
        at: timestampField,
      })
      .partial()
      .optional(),
  },
  filterable: ['kind', 'status', 'provider'],
  sortable: ['finished_at'],
  references: [{ field: 'context', to: 'any' }],
  events: ['ai_assistance.completed'],
})
