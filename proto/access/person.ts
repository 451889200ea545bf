/** People who sign in: staff of the provider, members of one client. */
import { z } from 'zod'
import { actorProtocol, commandVerb, queryVerb } from '../actor.ts'
import { memberRoles, staffRoles, type ByAuthor, type AccessRole } from './author.ts'
import { emailText, nameText, type AccessView, type Citation, type Entity } from './common.ts'
import { accessId, type PersonId, type Tenant } from './ids.ts'
import { accessLimits as limits } from './limits.ts'
import type { SavedView } from './saved-view.ts'
import type { Challenge, Passkey, PasskeyId, PasskeyUse, PasskeyView } from './passkey.ts'

export const personStatuses = ['invited', 'active', 'locked', 'removed'] as const
export type PersonStatus = (typeof personStatuses)[number]

export const memberBody = z.strictObject({
  client_id: accessId('client').optional().describe('Of staff; an owner invites to their client.'),
  email: emailText,
  name: nameText,
  roles: z.array(z.enum(memberRoles)).min(1).default(['member']),
})
export const staffBody = z.strictObject({
  email: emailText,
  name: nameText,
  roles: z.array(z.enum(staffRoles)).min(1),
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
}

/** A sign-in. Its text is known to its holder alone. */
export interface PersonSession {
  readonly id: string
  /** SHA-256 in hex. */
  readonly hash: string
  readonly createdAtMs: number
  readonly expiresAtMs: number
  /** When the password, or a passkey, was last given. */
  readonly steppedUpAtMs: number
}

/** A text that was shown once; both SHA-256 in hex and wall-clock ms. */
export interface OneTimeSecret {
  readonly hash: string
  readonly expiresAtMs: number
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
  /** By area and name. */
  readonly savedViews: readonly SavedView[]
  readonly sessions: readonly PersonSession[]
  readonly invitation?: OneTimeSecret
  /** They may set a new password with it. */
  readonly reset?: OneTimeSecret
  readonly lockedUntilMs?: number
  readonly lastSignInAtMs?: number
}

/** What a sign-in is checked against. Never in a view. */
export interface PersonSecrets {
  readonly view: PersonView
  /** scrypt, as `runtime/access/password.ts` writes it. */
  readonly password?: string
  /** Sealed. */
  readonly totp?: string
  readonly passkeys: readonly Passkey[]
}

type E = Entity<PersonView>

/** Of the code that was given, where one was: each is good once, and none before it afterwards. */
export interface ByCode {
  readonly codeStep?: number
}

/** What the gateway has checked: a password, perhaps with a code, or a passkey. */
export type ByProof = ByCode & Partial<PasskeyUse>

export const personActor = actorProtocol<PersonInput, PersonView>()('person', {
  created: queryVerb<E>(),
  get: queryVerb<E>(),
  secrets: queryVerb<PersonSecrets>(),
  /** Another invitation; the earlier one is void. */
  reinvite: commandVerb<E, ByAuthor & { readonly invitationHash: string }>(),
  /** With an invitation that is still good; once. */
  accept: commandVerb<E, { readonly invitationHash: string; readonly password: string }>(),
  /** Of somebody who cannot sign in any more, by another person; an earlier one is void. */
  reset: commandVerb<E, ByAuthor & { readonly resetHash: string; readonly reason: string }>(),
  /** Once: sets the password, and drops codes, passkeys and sign-ins that there were. */
  use_reset: commandVerb<E, { readonly resetHash: string; readonly password: string }>(),
  sign_in: commandVerb<
    E,
    ByProof & { readonly sessionId: string; readonly hash: string; readonly net?: string }
  >(),
  /** A wrong password, code or passkey. Too many lock the person for a while. */
  sign_in_failed: commandVerb<E, { readonly net?: string; readonly reason?: string }>(),
  step_up: commandVerb<E, ByProof & { readonly sessionId: string }>(),
  sign_out: commandVerb<E, { readonly sessionId?: string }>(),
  set_totp: commandVerb<E, ByAuthor & ByCode & { readonly totp: string | null }>(),
  /** From `troupe credentials reseal`: the same secret under another key, in the place of `was`. */
  resealed: commandVerb<E, { readonly was: string; readonly totp: string }>(),
  add_passkey: commandVerb<
    E,
    ByAuthor &
      Omit<Passkey, keyof PasskeyView> & {
        readonly passkeyId: PasskeyId
        readonly name: string
        readonly challenge: Challenge
      }
  >(),
  remove_passkey: commandVerb<E, ByAuthor & { readonly passkeyId: string }>(),
  /** Replaces one of the same area and name. */
  save_view: commandVerb<E, ByAuthor & { readonly saved: SavedView }>(),
  drop_view: commandVerb<E, ByAuthor & { readonly viewId: string }>(),
  /** Ends their sessions, but for the one with `sessionId`. */
  set_password: commandVerb<
    E,
    ByAuthor & ByCode & { readonly password: string; readonly sessionId?: string }
  >(),
  /** By somebody else than the person. */
  set_roles: commandVerb<E, ByAuthor & { readonly roles: readonly AccessRole[] }>(),
  /** Ends their sessions, and every grant of which they are the subject. */
  remove: commandVerb<E, ByAuthor & { readonly reason: string }>(),
  /** Refused once the person is removed. */
  cite: commandVerb<E, Citation>(),
})
