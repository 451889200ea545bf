import { z } from 'zod'
import { defineArea } from '../define-area.ts'
import { flagField, jobStatus, listField, nameField, textField, timestampField } from '../fields.ts'

const run = z.strictObject({
  id: nameField,
  status: jobStatus,
  input: z.json().optional(),
  output: z.json().optional(),
  started_at: timestampField.optional(),
  finished_at: timestampField.optional(),
})

export const workflowActionsArea = defineArea({
  key: 'workflow-actions',
  fields: {
    key: z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/, 'must be lower-case letters, digits, - and _'),
    name: nameField,
    description: textField.optional(),
    trigger: z.enum(['manual', 'schedule', 'event']).default('manual'),
    inputs_schema: z
      .record(z.string(), z.json())
      .optional()
      .describe('The JSON Schema of the input of a run.'),
    pre_approved: flagField.default(false),
    change_template_id: z
      .string()
      .min(1)
      .max(63)
      .optional()
      .describe('A template of GET /v1/change-templates. Each run is a standard change with it.'),
    enabled: flagField.default(true),
  },
  readOnly: {
    runs: listField(run, 100)
      .optional()
      .describe(
        'Runs imported from another system. GET …/{id}/runs lists the runs of this service.',
      ),
  },
  filterable: ['key', 'trigger', 'enabled', 'pre_approved'],
  sortable: ['key', 'name'],
  events: ['workflow_run.succeeded', 'workflow_run.failed'],
})
