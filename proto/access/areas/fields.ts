/** Field schemas that several areas share. */
import { z } from 'zod'
import { areaKeys } from './areas.ts'
import { emailText, longText, nameText } from '../common.ts'
import { accessId } from '../ids.ts'
import { accessLimits as limits } from '../limits.ts'
import { isRecordId } from './prefixes.ts'

export const nameField = nameText
export const textField = longText
export const emailField = emailText
export const flagField = z.boolean()
export const countField = z.int().min(0)
export const ratioField = z.number().min(0).max(1)
export const percentField = z.number().min(0).max(100)
/** A calendar day that exists: `2026-12-31`. */
export const dayField = z.iso.date('must be a date such as 2026-12-31')
/** RFC 3339, stored in UTC with milliseconds, so that the texts sort by time. */
export const timestampField = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2026-12-31T23:59:59Z' })
  .transform((value) => new Date(value).toISOString())
export const phoneField = z
  .string()
  .regex(/^\+[1-9]\d{6,14}$/, 'must be a phone number in E.164 format, such as +15550100')
/** Only http and https: other schemes could run scripts in a page that shows the link. */
export const urlField = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .max(limits.urlChars)
export const hostnameField = z
  .string()
  .max(253)
  .regex(
    /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/,
    'must be a lower-case host name; international names in punycode',
  )
export const countryField = z.string().regex(/^[A-Z]{2}$/, 'must be a country code such as DE')
export const currencyField = z.string().regex(/^[A-Z]{3}$/, 'must be a currency code such as EUR')
export const tagsField = z
  .array(z.string().trim().min(1).max(limits.tagChars))
  .max(limits.tagsPerRecord)

export const personId = accessId('person')
/** A reference to any record of the same client. */
export const recordRef = z
  .strictObject({ area: z.enum(areaKeys), id: z.string() })
  .refine(({ area, id }) => isRecordId(area, id), {
    message: 'must be the id of a record of that area',
    path: ['id'],
  })

/** Field names and values that the client defines. */
export const customFields = z
  .record(
    z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be lower-case letters, digits and _'),
    z.union([z.string().max(limits.textChars), z.number(), z.boolean()]),
  )
  .refine((fields) => Object.keys(fields).length <= limits.customFieldsPerRecord, {
    message: `must have at most ${limits.customFieldsPerRecord} fields`,
  })

export const listField = <T extends z.ZodType>(item: T, most: number = limits.arrayItems) =>
  z.array(item).max(most)

/** The status of a job: the states of web tasks, plus endings that only jobs have. */
export const jobStatus = z.enum([
  'queued',
  'running',
  'completed',
  'partial',
  'failed',
  'cancelled',
])

/** Read-only fields that every job has. */
export const jobFields = {
  status: jobStatus,
  progress: ratioField.optional(),
  error: textField.optional(),
  provenance: z
    .strictObject({
      tool: nameField,
      version: nameField,
      session_ids: listField(nameField, 20).optional(),
      web_task_ids: listField(nameField, 20).optional(),
      untrusted: flagField.describe('True if the record contains text from web pages or a model.'),
    })
    .optional(),
  started_at: timestampField.optional(),
  finished_at: timestampField.optional(),
} as const
