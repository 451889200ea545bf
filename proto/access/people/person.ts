/** People who sign in: staff of the provider, and members of one client. */
import { z } from 'zod'
import { actorProtocol, commandVerb, queryVerb } from '../../actor.ts'
import { memberRoles, staffRoles, type AccessRole, type Author, type ByAuthor } from '../author.ts'
import { emailText, nameText, type AccessView, type Citation, type EntityReply } from '../common.ts'
import { accessId, type PersonId, type Tenant } from '../ids.ts'
import { accessLimits as limits } from '../limits.ts'
import type { SavedView } from './saved-view.ts'
import type { PasskeyChallenge, Passkey, PasskeyId, PasskeyUse, PasskeyView } from './passkey.ts'

export const personStatuses = ['invited', 'active', 'locked', 'removed'] as const
export type PersonStatus = (typeof personStatuses)[number]

export const memberRoleList = z.array(z.enum(memberRoles)).min(1)
export const staffRoleList = z.array(z.enum(staffRoles)).min(1)
export const memberBody = z.strictObject({
  client_id: accessId('client')
    .optional()
    .describe('Required for staff. Owners can leave it out: they invite to their own client.'),
  email: emailText,
  name: nameText,
  roles: memberRoleList.default(['member']),
})
export const staffBody = z.strictObject({
  email: emailText,
  name: nameText,
  roles: staffRoleList,
})
export const passwordText = z
  .string()
  .min(limits.passwordCharsLeast, `must have at least ${limits.passwordCharsLeast} characters`)
  .max(limits.passwordChars)

export interface PersonInput extends ByAuthor {
  readonly id: PersonId
  readonly tenant: Tenant
  readonly createdAtMs: number
  readonly email: string
  readonly name: string
  readonly kind: 'staff' | 'member'
  readonly roles: readonly AccessRole[]
  /** SHA-256 of the invitation's text, in hex. */
  readonly invitationHash: string
  /** The roles that decide wait for a second person. */
  readonly waits?: true
}

/** A sign-in. Only its holder knows the token's text. */
export interface PersonSession {
  readonly id: string
  /** SHA-256 in hex. */
  readonly hash: string
  readonly createdAtMs: number
  readonly expiresAtMs: number
  /** When the password or a passkey was last given. */
  readonly steppedUpAtMs: number
}

/** A secret that was shown once: its SHA-256 in hex, and its expiry in wall-clock ms. */
export interface OneTimeSecret {
  readonly hash: string
  readonly expiresAtMs: number
  /** The person who made it; absent for the operator of the host. */
  readonly by?: string
  /** It cannot be used before a second person confirms it. */
  readonly waits?: true
  readonly confirmedBy?: string
}

/** Roles that wait for a second person; until then the person has those in `roles`. */
export interface AwaitedRights {
  readonly roles: readonly AccessRole[]
  readonly by: Author
  readonly atMs: number
}

/** Someone who let the person in, or gave them a role that decides; see `independence.ts`. */
export interface Voucher {
  /** A person's id. */
  readonly by: string
  readonly what: 'invitation' | 'reset' | 'roles'
  readonly atMs: number
  /** The admin who confirmed it. */
  readonly confirmedBy?: string
  /** It took effect without a second person, although the person has a role that decides. */
  readonly selfReviewed?: true
}

/** A removal of staff that takes effect when a second person confirms it. */
export interface ProposedRemoval {
  readonly by: Author
  readonly atMs: number
  readonly reason: string
}

export interface PersonView extends AccessView {
  readonly id: PersonId
  readonly tenant: Tenant
  readonly email: string
  readonly name: string
  readonly kind: 'staff' | 'member'
  readonly roles: readonly AccessRole[]
  readonly status: PersonStatus
  readonly hasTotp: boolean
  readonly passkeys: readonly PasskeyView[]
  /** Sorted by area and name. */
  readonly savedViews: readonly SavedView[]
  readonly sessions: readonly PersonSession[]
  readonly invitation?: OneTimeSecret
  /** With it the person can set a new password. */
  readonly reset?: OneTimeSecret
  readonly lockedUntilMs?: number
  /** Networks of successful sign-ins, which a lock does not concern. */
  readonly networks?: readonly string[]
  readonly removal?: ProposedRemoval
  readonly awaiting?: AwaitedRights
  /** Oldest first; older ones than `vouchedMs` do not count. */
  readonly vouchers?: readonly Voucher[]
  readonly lastSignInAtMs?: number
}

/** What a sign-in is verified against. Never part of a view. */
export interface PersonSecrets {
  readonly view: PersonView
  /** scrypt, in the format of `runtime/access/people/password-hasher.ts`. */
  readonly password?: string
  /** Sealed. */
  readonly totp?: string
  readonly passkeys: readonly Passkey[]
}

type E = EntityReply<PersonView>

/** It waits until a second person confirms it. */
interface MayWait {
  readonly waits?: true
}

/**
 * Identifies the TOTP code that was given, if any: a code and all earlier ones are accepted only
 * once.
 */
export interface ByCode {
  readonly codeStep?: number
}

/** The proof that the gateway verified: a password, perhaps with a code, or a passkey. */
export type ByProof = ByCode & Partial<PasskeyUse>

export const personActor = actorProtocol<PersonInput, PersonView>()('person', {
  created: queryVerb<E>(),
  get: queryVerb<E>(),
  secrets: queryVerb<PersonSecrets>(),
  /** Issues a new invitation; the earlier one becomes invalid. */
  reinvite: commandVerb<E, ByAuthor & MayWait & { readonly invitationHash: string }>(),
  /** Accepts a valid invitation, once. */
  accept: commandVerb<E, { readonly invitationHash: string; readonly password: string }>(),
  /**
   * Issues a reset for a person who cannot sign in, by another person; an earlier reset becomes
   * invalid.
   */
  reset: commandVerb<
    E,
    ByAuthor & MayWait & { readonly resetHash: string; readonly reason: string }
  >(),
  /** Uses a reset, once: sets the password and removes all codes, passkeys and sessions. */
  use_reset: commandVerb<E, { readonly resetHash: string; readonly password: string }>(),
  sign_in: commandVerb<
    E,
    ByProof & { readonly sessionId: string; readonly hash: string; readonly net?: string }
  >(),
  /**
   * A wrong password, code or passkey. Too many of them lock the person for a while: passwords from
   * networks that they have not used before are refused.
   */
  sign_in_failed: commandVerb<E, { readonly net?: string; readonly reason?: string }>(),
  step_up: commandVerb<E, ByProof & { readonly sessionId: string }>(),
  sign_out: commandVerb<E, { readonly sessionId?: string }>(),
  set_totp: commandVerb<E, ByAuthor & ByCode & { readonly totp: string | null }>(),
  /**
   * Sent by `troupe credentials reseal`: the same secret sealed with another key, replacing `was`.
   */
  resealed: commandVerb<E, { readonly was: string; readonly totp: string }>(),
  add_passkey: commandVerb<
    E,
    ByAuthor &
      Omit<Passkey, keyof PasskeyView> & {
        readonly passkeyId: PasskeyId
        readonly name: string
        readonly challenge: PasskeyChallenge
      }
  >(),
  remove_passkey: commandVerb<E, ByAuthor & { readonly passkeyId: string }>(),
  /** Replaces a saved view with the same area and name. */
  save_view: commandVerb<E, ByAuthor & { readonly saved: SavedView }>(),
  drop_view: commandVerb<E, ByAuthor & { readonly viewId: string }>(),
  /** Ends the person's sessions, except the one with `sessionId`. */
  set_password: commandVerb<
    E,
    ByAuthor & ByCode & { readonly password: string; readonly sessionId?: string }
  >(),
  /** By another person. */
  set_roles: commandVerb<E, ByAuthor & MayWait & { readonly roles: readonly AccessRole[] }>(),
  /** By a second person: roles and a reset that wait take effect. */
  confirm: commandVerb<E, ByAuthor>(),
  /** Of staff who have accepted their invitation; ends nothing yet. */
  propose_removal: commandVerb<E, ByAuthor & { readonly reason: string }>(),
  withdraw_removal: commandVerb<E, ByAuthor>(),
  /**
   * Ends the person's sessions and every grant whose subject they are. For staff who have accepted
   * their invitation, it confirms the proposal of another person.
   */
  remove: commandVerb<E, ByAuthor & { readonly reason: string }>(),
  /** Refused after the person is removed. */
  cite: commandVerb<E, Citation>(),
})
