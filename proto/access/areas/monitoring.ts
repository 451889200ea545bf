import { z } from 'zod'
import { defineArea } from './define-area.ts'
import { list, name, percent, text, time } from './fields.ts'

const incident = z.strictObject({
  started_at: time,
  ended_at: time.optional(),
  cause: text.optional(),
})

export const monitoring = defineArea({
  key: 'monitoring',
  fields: {
    name,
    kind: z.enum(['http', 'tcp', 'dns', 'tls', 'heartbeat']),
    target: z.string().min(1).max(2_048),
    interval_s: z.int().min(30).max(86_400).default(300),
    status: z.enum(['up', 'down', 'degraded', 'paused', 'unknown']).default('unknown'),
    last_check_at: time.optional(),
    latency: z.strictObject({ p50: z.number().min(0), p95: z.number().min(0) }).optional(),
    uptime: z.strictObject({ d1: percent, d7: percent, d30: percent }).partial().optional(),
    incidents: list(incident, 100).default([]),
  },
  filterable: ['kind', 'status', 'target'],
  sortable: ['name', 'target', 'last_check_at'],
  events: ['monitoring.down', 'monitoring.recovered'],
})
