import { z } from 'zod'
import { defineArea } from './define-area.ts'
import { jobFields, list, name, share, text, time, url } from './fields.ts'

export const marketScans = defineArea({
  key: 'market-scans',
  fields: {
    title: name,
    market: name,
    region: name.optional(),
    competitors: list(name, 20).default([]),
    questions: list(text, 20).default([]),
  },
  readOnly: {
    ...jobFields,
    summary: text.optional(),
    findings: list(
      z.strictObject({ claim: text, confidence: share.optional(), source_ids: list(name, 50) }),
    ).optional(),
    sources: list(
      z.strictObject({ id: name, url, title: name.optional(), retrieved_at: time.optional() }),
    ).optional(),
    web_task_ids: list(name, 50).optional(),
  },
  filterable: ['status', 'market', 'region'],
  sortable: ['title', 'market', 'finished_at'],
  events: ['market_scan.completed', 'market_scan.failed'],
})
