import { defined } from '../../../../proto/defined.ts'
import { z } from 'zod'
import {
  requestStatuses,
  type RequestView,
  type ShownView,
} from '../../../../proto/access/grants/request.ts'
import {
  authorData,
  authorJson,
  isoTime,
  permissionData,
  permissionJson,
  entityStamps,
  stampsShape,
  timeJson,
} from '../../../routing/schemas/access-json.ts'
import { openSlotsJson } from './open-slots.ts'
import { policyData, policyJson, reviewData, reviewJson } from './review.ts'

const viewJson = z.object({
  slug: z.string(),
  title: z.string(),
  source_area: z.string(),
  fields: z.array(z.string()),
  where: z.array(z.object({ field: z.string(), equals: z.array(z.string()) })),
  change_id: z.string().describe('The managed change that last wrote the view.'),
})

const shownJson = z.object({
  custom: z.array(viewJson).optional().describe('The requested custom views.'),
  client: z.object({ id: z.string(), name: z.string() }),
  scope: z.object({ id: z.string(), name: z.string(), version: z.number().int() }),
  need: z.object({ id: z.string(), title: z.string(), purpose: z.string() }),
  subject: z.object({ kind: z.enum(['person', 'integration']), id: z.string(), name: z.string() }),
})

export const requestJson = z.object({
  ...stampsShape,
  status: z.enum(requestStatuses),
  scope_id: z.string(),
  need_id: z.string(),
  path: z.string(),
  subject: z.object({ kind: z.enum(['person', 'integration']), id: z.string() }),
  permissions: z.array(permissionJson),
  cidrs: z.array(z.string()),
  starts_at: timeJson.optional(),
  ends_at: timeJson,
  justification: z.string(),
  emergency: z.boolean(),
  renews_grant_id: z.string().optional(),
  requested_by: authorJson,
  shown: shownJson
    .nullable()
    .describe('What the request refers to, as it was when the request was submitted.'),
  digest: z.string().nullable().describe('Digest of exactly this request; send it with a review.'),
  policy: policyJson.extend({ expires_at: timeJson }).nullable(),
  reviews: z.array(reviewJson),
  open_slots: openSlotsJson,
  message: z.string().optional(),
  grant_id: z.string().optional(),
})

const viewData = ({ fields, where, ...view }: ShownView) => ({
  ...view,
  fields: [...fields],
  where: where.map(({ field, equals }) => ({ field, equals: [...equals] })),
})

export function requestData(view: RequestView, openSlots: z.output<typeof openSlotsJson>) {
  const { status, terms, requestedBy, shown, digest, policy, reviews, message, grantId } = view
  return {
    ...entityStamps(view),
    status,
    scope_id: terms.scopeId,
    need_id: terms.needId,
    path: terms.path,
    subject: { ...terms.subject },
    permissions: terms.permissions.map(permissionData),
    cidrs: [...terms.cidrs],
    ...(terms.startsAtMs !== undefined && { starts_at: isoTime(terms.startsAtMs) }),
    ends_at: isoTime(terms.endsAtMs),
    justification: terms.justification,
    emergency: terms.emergency,
    ...(terms.renewsGrantId && { renews_grant_id: terms.renewsGrantId }),
    requested_by: authorData(requestedBy),
    shown: shown && {
      client: { ...shown.client },
      scope: { ...shown.scope },
      need: { ...shown.need },
      subject: { ...shown.subject },
      ...(shown.custom && { custom: shown.custom.map(viewData) }),
    },
    digest,
    policy: policy && { ...policyData(policy), expires_at: isoTime(policy.expiresAtMs) },
    reviews: reviews.map(reviewData),
    open_slots: openSlots,
    ...defined({ message }),
    ...(grantId && { grant_id: grantId }),
  }
}
