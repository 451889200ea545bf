import { z } from 'zod'
import { defineArea } from '../define-area.ts'
import {
  currencyField,
  customFields,
  dayField,
  nameField,
  percentField,
  personId,
  tagsField,
  textField,
  timestampField,
} from '../fields.ts'
import { recordId } from '../prefixes.ts'

export const opportunitiesArea = defineArea({
  key: 'opportunities',
  fields: {
    name: nameField,
    contact_id: recordId('contacts').optional(),
    pipeline_id: nameField.optional(),
    stage_id: nameField.optional(),
    status: z.enum(['open', 'won', 'lost', 'abandoned']).default('open'),
    amount: z
      .strictObject({
        value: z.int().describe('In the smallest unit of the currency.'),
        currency: currencyField,
      })
      .optional(),
    probability: percentField.optional(),
    expected_close_on: dayField.optional(),
    source: nameField.optional(),
    owner_id: personId.optional(),
    lost_reason: textField.optional(),
    tags: tagsField.default([]),
    custom_fields: customFields.optional(),
  },
  readOnly: {
    last_stage_change_at: timestampField.optional(),
    last_status_change_at: timestampField.optional(),
  },
  filterable: ['contact_id', 'pipeline_id', 'stage_id', 'status', 'source', 'owner_id', 'tags'],
  sortable: ['name', 'probability', 'expected_close_on', 'last_stage_change_at'],
  operations: ['create', 'patch', 'delete'],
  references: [
    { field: 'contact_id', to: 'contacts' },
    { field: 'owner_id', to: 'person' },
  ],
  derive: (after, before, at) => ({
    ...(after['stage_id'] !== before['stage_id'] && { last_stage_change_at: at }),
    ...(after['status'] !== before['status'] && { last_status_change_at: at }),
  }),
  events: [
    'opportunity.created',
    'opportunity.stage_changed',
    'opportunity.won',
    'opportunity.lost',
  ],
})
