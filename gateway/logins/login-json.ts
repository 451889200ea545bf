/** Logins with sites as REST takes and shows them. Values are accepted and never returned. */
import { z } from 'zod'
import { atLeastOne } from '../../proto/commands/requires.ts'
import { defined } from '../../proto/defined.ts'
import { sessionLimits } from '../../proto/session/limits.ts'
import { siteLoginName, type SiteLoginRecord } from '../../proto/session/site-login.ts'
import { toIsoTime } from '../routing/answers/iso-time.ts'

const value = z
  .string()
  .min(1)
  .max(sessionLimits.loginValueChars)
  .regex(/^\P{C}*$/u, { error: 'may not contain control characters' })

const fields = z
  .record(z.string().min(1).max(sessionLimits.loginNameChars), value)
  .refine((given) => Object.keys(given).length <= sessionLimits.loginFields, {
    error: `must have at most ${sessionLimits.loginFields} entries`,
  })
  .refine((given) => Object.keys(given).length > 0, { error: 'must have an entry' })
  .meta({ minProperties: 1, maxProperties: sessionLimits.loginFields })
  .describe('Other text fields of the form, by their name, label or placeholder.')

const totp = z
  .string()
  .min(1)
  .max(sessionLimits.loginValueChars)
  .describe('The secret of one-time codes, in base32 or as an otpauth:// URI.')

const description = z.string().max(sessionLimits.loginDescriptionChars)

export const siteLoginOrder = z
  .strictObject({
    name: siteLoginName.optional().describe('Default: the host of the origin.'),
    origin: z
      .url()
      .max(sessionLimits.originChars)
      .describe('Where its values may be filled in: https://shop.example. A path is ignored.'),
    subdomains: z
      .boolean()
      .default(false)
      .describe('Also on every name below that of the origin: login.shop.example.'),
    allow_http: z
      .boolean()
      .default(false)
      .describe('Required if origin has the scheme http, except on this machine.'),
    username: value.optional(),
    password: value.optional(),
    totp: totp.optional(),
    fields: fields.optional(),
    description: description.optional(),
  })
  .refine(({ username, password, totp, fields }) => username ?? password ?? totp ?? fields, {
    path: ['username'],
    error: 'must be given, or password, totp or fields: a login has something to fill in',
  })
  .meta(atLeastOne('username', 'password', 'totp', 'fields'))

export const siteLoginPatch = z
  .strictObject({
    username: value.nullable().optional(),
    password: value.nullable().optional(),
    totp: totp.nullable().optional(),
    fields: fields.nullable().optional(),
    description: description.nullable().optional(),
  })
  .refine((change) => Object.keys(change).length > 0, { error: 'has nothing to change' })
  .meta({ minProperties: 1 })

export const siteLoginJson = z.object({
  name: z.string(),
  origin: z.string(),
  subdomains: z.boolean(),
  description: z.string(),
  has: z
    .array(z.string())
    .describe('Which values it has: username, password, code, and names of other fields.'),
  created_at: z.iso.datetime(),
  changed_at: z.iso.datetime(),
  last_used_at: z.iso.datetime().optional().describe('When it last filled in a form.'),
  last_session_id: z.string().optional().describe('In this session.'),
})

export const siteLoginListJson = z.object({
  data: z.object({ count: z.number().int(), items: z.array(siteLoginJson) }),
})

export function toSiteLoginJson(record: SiteLoginRecord): z.output<typeof siteLoginJson> {
  const { name, origin, subdomains = false, description = '', has, usedAtMs, usedBy } = record
  return {
    ...{ name, origin, subdomains, description, has: [...has] },
    created_at: toIsoTime(record.createdAtMs),
    changed_at: toIsoTime(record.changedAtMs),
    ...(usedAtMs !== undefined && { last_used_at: toIsoTime(usedAtMs) }),
    ...defined({ last_session_id: usedBy }),
  }
}
