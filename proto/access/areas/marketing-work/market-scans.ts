import { z } from 'zod'
import { defineArea } from '../define-area.ts'
import {
  jobFields,
  listField,
  nameField,
  ratioField,
  textField,
  timestampField,
  urlField,
} from '../fields.ts'

export const marketScansArea = defineArea({
  key: 'market-scans',
  fields: {
    title: nameField,
    market: nameField,
    region: nameField.optional(),
    competitors: listField(nameField, 20).default([]),
    questions: listField(textField, 20).default([]),
  },
  readOnly: {
    ...jobFields,
    summary: textField.optional(),
    findings: listField(
      z.strictObject({
        claim: textField,
        confidence: ratioField.optional(),
        source_ids: listField(nameField, 50),
      }),
    ).optional(),
    sources: listField(
      z.strictObject({
        id: nameField,
        url: urlField,
        title: nameField.optional(),
        retrieved_at: timestampField.optional(),
      }),
    ).optional(),
    web_task_ids: listField(nameField, 50).optional(),
  },
  filterable: ['status', 'market', 'region'],
  sortable: ['title', 'market', 'finished_at'],
  events: ['market_scan.completed', 'market_scan.failed'],
})
