import { z } from 'zod'
import { defineArea } from '../define-area.ts'
import {
  countField,
  hostnameField,
  listField,
  nameField,
  percentField,
  urlField,
} from '../fields.ts'
import { recordId } from '../prefixes.ts'

const position = z.int().min(1).max(1_000)

export const contentGapsArea = defineArea({
  key: 'content-gaps',
  fields: {
    topic: nameField,
    keyword: nameField,
    intent: z.enum(['informational', 'navigational', 'commercial', 'transactional']).optional(),
    search_volume: countField.optional(),
    difficulty: percentField.optional(),
    current: z.strictObject({ url: urlField, position: position.optional() }).optional(),
    competitors: listField(
      z.strictObject({
        domain: hostnameField,
        url: urlField.optional(),
        position: position.optional(),
      }),
      50,
    ).default([]),
    score: percentField.optional(),
    action: z.enum(['create', 'refresh', 'merge', 'redirect']).optional(),
    priority: z.enum(['low', 'medium', 'high']).default('medium'),
    status: z
      .enum(['identified', 'planned', 'in_progress', 'published', 'dismissed'])
      .default('identified'),
    task_id: recordId('tasks').optional(),
    scan_id: recordId('market-scans').optional(),
  },
  filterable: ['keyword', 'intent', 'action', 'priority', 'status', 'task_id', 'scan_id'],
  sortable: ['topic', 'keyword', 'priority', 'search_volume', 'difficulty', 'score'],
  operations: ['create', 'patch', 'delete'],
  references: [
    { field: 'task_id', to: 'tasks' },
    { field: 'scan_id', to: 'market-scans' },
  ],
  events: ['content_gap.identified'],
})
