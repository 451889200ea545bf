import { defined } from '../../../../proto/defined.ts'
import { z } from 'zod'
import {
  grantStatuses,
  type GrantView,
  type TokenView,
} from '../../../../proto/access/grants/grant.ts'
import {
  isoTime,
  permissionData,
  permissionJson,
  entityStamps,
  stampsShape,
  timeJson,
} from '../../../routing/schemas/access-json.ts'

export const tokenJson = z.object({
  id: z.string(),
  grant_id: z.string(),
  name: z.string(),
  hint: z.string().describe('The prefix and the last four characters of the token.'),
  scopes: z.array(z.string()),
  status: z.enum(['active', 'expired', 'revoked']),
  created_at: timeJson,
  created_by: z.string(),
  expires_at: timeJson,
  revoked_at: timeJson.optional(),
  revoked_reason: z.string().optional(),
  last_used_at: timeJson.optional().describe('Accurate to the minute.'),
})

/** Contains neither the token's text nor its hash. */
export function tokenData(token: TokenView, grantId: string, nowMs: number) {
  const { revokedAtMs, revokedReason, lastUsedAtMs, expiresAtMs } = token
  const live = expiresAtMs > nowMs ? ('active' as const) : ('expired' as const)
  return {
    id: token.id,
    grant_id: grantId,
    name: token.name,
    hint: token.hint,
    scopes: [...token.scopes],
    status: revokedAtMs === undefined ? live : ('revoked' as const),
    created_at: isoTime(token.createdAtMs),
    created_by: token.createdBy,
    expires_at: isoTime(expiresAtMs),
    ...(revokedAtMs !== undefined && { revoked_at: isoTime(revokedAtMs) }),
    ...defined({ revoked_reason: revokedReason }),
    ...(lastUsedAtMs !== undefined && { last_used_at: isoTime(lastUsedAtMs) }),
  }
}

export const grantJson = z.object({
  ...stampsShape,
  status: z.enum(grantStatuses),
  request_id: z.string(),
  scope_id: z.string(),
  need_id: z.string(),
  subject: z.object({ kind: z.enum(['person', 'integration']), id: z.string() }),
  path: z.string(),
  permissions: z.array(permissionJson),
  cidrs: z.array(z.string()),
  starts_at: timeJson,
  ends_at: timeJson,
  emergency: z.boolean(),
  approvers: z.array(z.object({ id: z.string(), slot: z.string(), at: timeJson })),
  ended_at: timeJson.optional(),
  end_reason: z.string().optional(),
  reason: z.string().optional(),
  suspended_by: z
    .object({ kind: z.enum(['staff', 'member', 'integration', 'system']), id: z.string() })
    .optional()
    .describe('Of a suspended grant. What a `member` suspended, only an owner resumes.'),
  post_review: z
    .object({
      by: timeJson,
      status: z.enum(['due', 'done', 'missed']),
      reviewer_id: z.string().optional(),
    })
    .optional(),
  last_used_at: timeJson.optional(),
})

export function grantData(view: GrantView) {
  const { status, subject, path, cidrs, emergency, postReview, endedAt, endReason, reason } = view
  return {
    ...entityStamps(view),
    status,
    request_id: view.requestId,
    scope_id: view.scopeId,
    need_id: view.needId,
    subject: { ...subject },
    path,
    permissions: view.permissions.map(permissionData),
    cidrs: [...cidrs],
    starts_at: isoTime(view.startsAtMs),
    ends_at: isoTime(view.endsAtMs),
    emergency,
    approvers: view.approvers.map(({ id, slot, atMs }) => ({ id, slot, at: isoTime(atMs) })),
    ...(endedAt !== undefined && { ended_at: isoTime(endedAt) }),
    ...defined({ end_reason: endReason, reason }),
    ...(view.suspendedBy && { suspended_by: { ...view.suspendedBy } }),
    ...(postReview && {
      post_review: {
        by: isoTime(postReview.byMs),
        status: postReview.status,
        ...(postReview.reviewerId && { reviewer_id: postReview.reviewerId }),
      },
    }),
    ...(view.lastUsedAtMs !== undefined && { last_used_at: isoTime(view.lastUsedAtMs) }),
  }
}
