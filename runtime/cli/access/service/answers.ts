/** The parts of Surface A's answers that commands read; other fields are ignored. */
import { z } from 'zod'

const id = z.string()
const time = z.string()
const stamps = {
  id,
  client_id: z.string().optional(),
  version: z.number(),
  created_at: time,
  created_by: z.string(),
}

const permission = z.object({
  area: z.string(),
  actions: z.array(z.string()),
  fields: z.array(z.string()).optional(),
  where: z.array(z.object({ field: z.string(), equals: z.array(z.string()) })).optional(),
})
export type PermissionAnswer = z.output<typeof permission>

export const clientAnswer = z.object({
  ...stamps,
  name: z.string(),
  slug: z.string(),
  status: z.string(),
  contact: z.object({ name: z.string(), email: z.string() }),
  timezone: z.string(),
})
export type ClientAnswer = z.output<typeof clientAnswer>

const terms = z.object({
  name: z.string(),
  summary: z.string(),
  engagement_ref: z.string(),
  paths: z.array(z.string()),
  areas: z.array(permission),
  effective_from: time,
  effective_to: time,
})
export type TermsAnswer = z.output<typeof terms>

export const scopeAnswer = z.object({
  ...stamps,
  status: z.string(),
  current: terms.nullable(),
  proposal: terms.nullable(),
  digest: z.string().nullable(),
})
export type ScopeAnswer = z.output<typeof scopeAnswer>

export const needAnswer = z.object({
  ...stamps,
  status: z.string(),
  title: z.string(),
  purpose: z.string(),
  category: z.string(),
  reference: z.object({ kind: z.string(), id: z.string() }),
  owner_id: id,
  expected_end_at: time,
  closed_reason: z.string().optional(),
})
export type NeedAnswer = z.output<typeof needAnswer>

const subject = z.object({ kind: z.string(), id })
export type SubjectAnswer = z.output<typeof subject>

export const reviewAnswer = z.object({
  reviewer_id: id,
  slot: z.string(),
  decision: z.string(),
  reason: z.string(),
  at: time,
  is_void: z.boolean().optional(),
})
export type ReviewAnswer = z.output<typeof reviewAnswer>

/** Absent from older services. */
export const openSlotsAnswer = z
  .array(
    z.object({
      role: z.string(),
      count: z.number(),
      can: z.array(z.object({ id, name: z.string() })),
      advice: z.string().optional(),
    }),
  )
  .optional()
export type OpenSlotsAnswer = z.output<typeof openSlotsAnswer>

const customViewAnswer = z.looseObject({
  slug: z.string(),
  title: z.string(),
  source_area: z.string(),
  fields: z.array(z.string()),
  change_id: z.string(),
})

export const requestAnswer = z.object({
  ...stamps,
  status: z.string(),
  scope_id: id,
  need_id: id,
  path: z.string(),
  subject,
  permissions: z.array(permission),
  cidrs: z.array(z.string()),
  starts_at: time.optional(),
  ends_at: time,
  justification: z.string(),
  emergency: z.boolean(),
  renews_grant_id: z.string().optional(),
  requested_by: z.object({ kind: z.string(), id }),
  shown: z
    .object({
      client: z.object({ id, name: z.string() }),
      scope: z.object({ id, name: z.string(), version: z.number() }),
      need: z.object({ id, title: z.string(), purpose: z.string() }),
      subject: subject.extend({ name: z.string() }),
      custom: z.array(customViewAnswer).optional(),
    })
    .nullable(),
  digest: z.string().nullable(),
  policy: z
    .object({
      rules: z.array(z.string()),
      slots: z.array(z.object({ role: z.string(), count: z.number() })),
      expires_at: time,
    })
    .nullable(),
  reviews: z.array(reviewAnswer),
  open_slots: openSlotsAnswer,
  message: z.string().optional(),
  grant_id: z.string().optional(),
})
export type RequestAnswer = z.output<typeof requestAnswer>

export const grantAnswer = z.object({
  ...stamps,
  status: z.string(),
  request_id: id,
  scope_id: id,
  need_id: id,
  subject,
  path: z.string(),
  permissions: z.array(permission),
  cidrs: z.array(z.string()),
  starts_at: time,
  ends_at: time,
  emergency: z.boolean(),
  approvers: z.array(z.object({ id, slot: z.string(), at: time })),
  end_reason: z.string().optional(),
  reason: z.string().optional(),
  last_used_at: time.optional(),
})
export type GrantAnswer = z.output<typeof grantAnswer>

export const tokenAnswer = z.object({
  id,
  name: z.string(),
  hint: z.string(),
  scopes: z.array(z.string()),
  status: z.string(),
  expires_at: time,
  last_used_at: time.optional(),
})
export type TokenAnswer = z.output<typeof tokenAnswer>

export const personAnswer = z.object({
  ...stamps,
  email: z.string(),
  name: z.string(),
  kind: z.string(),
  roles: z.array(z.string()),
  status: z.string(),
  has_totp: z.boolean(),
  last_sign_in_at: time.optional(),
})
export type PersonAnswer = z.output<typeof personAnswer>

export const signedInAnswer = z.object({
  token: z.string(),
  expires_at: time,
  person: personAnswer,
})

export const accessAnswer = z.object({
  token: z.object({ id, name: z.string(), hint: z.string(), expires_at: time }),
  permissions: z.array(permission),
  ends_at: time,
  path: z.string(),
  emergency: z.boolean(),
  client: z.object({ id, name: z.string() }),
  scope: z.object({ id, name: z.string() }),
  need: z.object({ id, title: z.string(), purpose: z.string() }),
  reviewed_by: z.array(z.object({ role: z.string(), at: time })),
})
export type AccessAnswer = z.output<typeof accessAnswer>
