import { z } from 'zod'
import { defineArea } from './define-area.ts'
import {
  country,
  customFields,
  email,
  flag,
  name,
  personId,
  phone,
  tags,
  text,
  time,
  url,
} from './fields.ts'

const lifecycleStages = [
  'subscriber',
  'lead',
  'marketing_qualified',
  'sales_qualified',
  'opportunity',
  'customer',
  'evangelist',
  'other',
] as const

const address = z
  .strictObject({
    line1: name,
    line2: name,
    city: name,
    region: name,
    postal_code: name,
    country,
  })
  .partial()

export const contacts = defineArea({
  key: 'contacts',
  fields: {
    first_name: name.optional(),
    last_name: name.optional(),
    email: email.optional(),
    phone: phone.optional(),
    company_name: name.optional(),
    job_title: name.optional(),
    address: address.optional(),
    website: url.optional(),
    timezone: name.optional(),
    lifecycle_stage: z.enum(lifecycleStages).default('lead'),
    lead_status: name.optional(),
    tags: tags.default([]),
    source: name.optional(),
    owner_id: personId.optional(),
    do_not_contact: z.strictObject({ email: flag, phone: flag, sms: flag }).partial().optional(),
    consent: z.strictObject({ basis: text, at: time }).optional(),
    custom_fields: customFields.optional(),
  },
  readOnly: { last_activity_at: time.optional() },
  filterable: [
    'email',
    'company_name',
    'lifecycle_stage',
    'lead_status',
    'tags',
    'source',
    'owner_id',
  ],
  sortable: ['last_name', 'first_name', 'email', 'company_name', 'last_activity_at'],
  operations: ['create', 'patch', 'delete'],
  references: [{ field: 'owner_id', to: 'person' }],
  events: ['contact.created', 'contact.updated', 'contact.deleted'],
})
