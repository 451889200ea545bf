import { z } from 'zod'
import { defineArea } from './define-area.ts'
import { flag, jobStatus, list, name, text, time } from './fields.ts'

const run = z.strictObject({
  id: name,
  status: jobStatus,
  input: z.json().optional(),
  output: z.json().optional(),
  started_at: time.optional(),
  finished_at: time.optional(),
})

export const workflowActions = defineArea({
  key: 'workflow-actions',
  fields: {
    key: z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/, 'must be lower-case letters, digits, - and _'),
    name,
    description: text.optional(),
    trigger: z.enum(['manual', 'schedule', 'event']).default('manual'),
    inputs_schema: z.record(z.string(), z.json()).optional().describe('A JSON Schema.'),
    pre_approved: flag.default(false),
    change_template_id: z
      .string()
      .min(1)
      .max(63)
      .optional()
      .describe('One of GET /v1/change-templates: a run is a standard change by it.'),
    enabled: flag.default(true),
  },
  readOnly: {
    runs: list(run, 100)
      .optional()
      .describe('Of another system, as imported. Those ordered here: GET …/{id}/runs.'),
  },
  filterable: ['key', 'trigger', 'enabled', 'pre_approved'],
  sortable: ['key', 'name'],
  events: ['workflow_run.succeeded', 'workflow_run.failed'],
})
