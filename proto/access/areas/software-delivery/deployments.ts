import { z } from 'zod'
import { defineArea } from '../define-area.ts'
import { nameField, textField, timestampField, urlField } from '../fields.ts'
import { recordId } from '../prefixes.ts'

const statuses = [
  'pending',
  'in_progress',
  'succeeded',
  'failed',
  'rolled_back',
  'cancelled',
] as const

export const deploymentsArea = defineArea({
  key: 'deployments',
  fields: {
    project_id: recordId('projects').optional(),
    environment: z.enum(['development', 'staging', 'production']),
    release: nameField.describe(
      'The release that was deployed; `version` is the version of the record.',
    ),
    commit_sha: z
      .string()
      .regex(/^[0-9a-f]{7,64}$/, 'must be a commit id in lower-case hex')
      .optional(),
    status: z.enum(statuses).default('pending'),
    change_id: nameField.optional(),
    notes: textField.optional(),
    started_at: timestampField.optional(),
    finished_at: timestampField.optional(),
    url: urlField.optional(),
    rollback_of: recordId('deployments').optional(),
  },
  filterable: ['project_id', 'environment', 'release', 'status'],
  sortable: ['release', 'started_at', 'finished_at'],
  references: [
    { field: 'project_id', to: 'projects' },
    { field: 'rollback_of', to: 'deployments' },
  ],
  events: [
    'deployment.started',
    'deployment.succeeded',
    'deployment.failed',
    'deployment.rolled_back',
  ],
})
