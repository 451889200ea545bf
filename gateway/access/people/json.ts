import { defined } from '../../../proto/defined.ts'
import { z } from 'zod'
import { authorName } from '../../../proto/access/author.ts'
import {
  personStatuses,
  type PersonView,
  type Voucher,
} from '../../../proto/access/people/person.ts'
import { isoTime, entityStamps, stampsShape, timeJson } from '../../routing/schemas/access-json.ts'

export const personJson = z.object({
  ...stampsShape,
  email: z.string(),
  name: z.string(),
  kind: z.enum(['staff', 'member']),
  roles: z.array(z.string()),
  status: z.enum(personStatuses),
  has_totp: z.boolean(),
  passkeys: z.int().describe('The number of their passkeys.'),
  invitation_expires_at: timeJson.optional(),
  reset_expires_at: timeJson.optional(),
  locked_until: timeJson.optional(),
  last_sign_in_at: timeJson.optional(),
  awaiting: z
    .object({ roles: z.array(z.string()), asked_by: z.string(), asked_at: timeJson })
    .optional()
    .describe('The roles that they have once a second person confirms them.'),
  reset_waits: z
    .boolean()
    .optional()
    .describe('The reset cannot be used before a second person confirms it.'),
  vouched_by: z
    .array(
      z.object({
        id: z.string(),
        for: z.enum(['invitation', 'reset', 'roles']),
        at: timeJson,
        confirmed_by: z.string().optional(),
      }),
    )
    .optional()
    .describe('Who let them in. For 30 days they are not independent of each other.'),
  removal: z
    .object({ proposed_by: z.string(), proposed_at: timeJson, reason: z.string() })
    .optional()
    .describe('A removal that takes effect when a second person confirms it.'),
})

/** Contains no credentials. */
export function personData(view: PersonView) {
  const { email, name, kind, roles, status, hasTotp, invitation, lockedUntilMs, removal } = view
  return {
    ...entityStamps(view),
    email,
    name,
    kind,
    roles: [...roles],
    status,
    has_totp: hasTotp,
    passkeys: view.passkeys.length,
    ...(invitation && { invitation_expires_at: isoTime(invitation.expiresAtMs) }),
    ...(view.reset && { reset_expires_at: isoTime(view.reset.expiresAtMs) }),
    ...(lockedUntilMs !== undefined && { locked_until: isoTime(lockedUntilMs) }),
    ...(view.lastSignInAtMs !== undefined && { last_sign_in_at: isoTime(view.lastSignInAtMs) }),
    ...(view.awaiting && {
      awaiting: {
        roles: [...view.awaiting.roles],
        asked_by: authorName(view.awaiting.by),
        asked_at: isoTime(view.awaiting.atMs),
      },
    }),
    ...(view.reset?.waits && { reset_waits: true }),
    ...(view.vouchers && { vouched_by: view.vouchers.map(voucherData) }),
    ...(removal && {
      removal: {
        proposed_by: authorName(removal.by),
        proposed_at: isoTime(removal.atMs),
        reason: removal.reason,
      },
    }),
  }
}

const voucherData = ({ by, what, atMs, confirmedBy }: Voucher) => ({
  id: by,
  for: what,
  at: isoTime(atMs),
  ...defined({ confirmed_by: confirmedBy }),
})
