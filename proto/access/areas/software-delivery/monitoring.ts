import { z } from 'zod'
import { defineArea } from '../define-area.ts'
import { listField, nameField, percentField, textField, timestampField } from '../fields.ts'

const incident = z.strictObject({
  started_at: timestampField,
  ended_at: timestampField.optional(),
  cause: textField.optional(),
})

export const monitoringArea = defineArea({
  key: 'monitoring',
  fields: {
    name: nameField,
    kind: z.enum(['http', 'tcp', 'dns', 'tls', 'heartbeat']),
    target: z.string().min(1).max(2_048),
    interval_s: z.int().min(30).max(86_400).default(300),
    status: z.enum(['up', 'down', 'degraded', 'paused', 'unknown']).default('unknown'),
    last_check_at: timestampField.optional(),
    latency: z.strictObject({ p50: z.number().min(0), p95: z.number().min(0) }).optional(),
    uptime: z
      .strictObject({ d1: percentField, d7: percentField, d30: percentField })
      .partial()
      .optional(),
    incidents: listField(incident, 100).default([]),
  },
  filterable: ['kind', 'status', 'target'],
  sortable: ['name', 'target', 'last_check_at'],
  events: ['monitoring.down', 'monitoring.recovered'],
})
