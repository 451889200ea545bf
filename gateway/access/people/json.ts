import { z } from 'zod'
import { authorName } from '../../../proto/access/author.ts'
import { personStatuses, type PersonView } from '../../../proto/access/people/person.ts'
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
    ...(removal && {
      removal: {
        proposed_by: authorName(removal.by),
        proposed_at: isoTime(removal.atMs),
        reason: removal.reason,
      },
    }),
  }
}
