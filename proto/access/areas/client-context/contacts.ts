import { z } from 'zod'
import { defineArea } from '../define-area.ts'
import {
  countryField,
  customFields,
  emailField,
  flagField,
  nameField,
  personId,
  phoneField,
  tagsField,
  textField,
  timestampField,
  urlField,
} from '../fields.ts'

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
    line1: nameField,
    line2: nameField,
    city: nameField,
    region: nameField,
    postal_code: nameField,
    country: countryField,
  })
  .partial()

export const contactsArea = defineArea({
  key: 'contacts',
  fields: {
    first_name: nameField.optional(),
    last_name: nameField.optional(),
    email: emailField.optional(),
    phone: phoneField.optional(),
    company_name: nameField.optional(),
    job_title: nameField.optional(),
    address: address.optional(),
    website: urlField.optional(),
    timezone: nameField.optional(),
    lifecycle_stage: z.enum(lifecycleStages).default('lead'),
    lead_status: nameField.optional(),
    tags: tagsField.default([]),
    source: nameField.optional(),
    owner_id: personId.optional(),
    do_not_contact: z
      .strictObject({ email: flagField, phone: flagField, sms: flagField })
      .partial()
      .optional(),
    consent: z.strictObject({ basis: textField, at: timestampField }).optional(),
    custom_fields: customFields.optional(),
  },
  readOnly: { last_activity_at: timestampField.optional() },
  oneOf: ['first_name', 'last_name', 'email', 'phone', 'company_name'],
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
