/** The context of a person's machine. */
import type { AccessRole } from '../../../proto/access/author.ts'
import type { AccessState, SecondSignature } from '../../../proto/access/common.ts'
import type { PersonId, Tenant } from '../../../proto/access/ids.ts'
import type { PasskeyChallenge, Passkey } from '../../../proto/access/people/passkey.ts'
import type {
  AwaitedRights,
  OneTimeSecret,
  PersonSession,
  ProposedRemoval,
  Voucher,
} from '../../../proto/access/people/person.ts'
import type { SavedView } from '../../../proto/access/people/saved-view.ts'
import type { ActorContext } from '../../../runtime/actor/actor-kind.ts'
import type { CitedState } from '../common/citations.ts'

export interface PersonContext extends AccessState, CitedState, ActorContext {
  readonly id: PersonId
  readonly tenant: Tenant
  readonly email: string
  readonly name: string
  readonly kind: 'staff' | 'member'
  readonly roles: readonly AccessRole[]
  /** Null once it is used. */
  readonly invitation: OneTimeSecret | null
  readonly reset: OneTimeSecret | null
  /** scrypt. */
  readonly password: string | null
  /** Sealed. */
  readonly totp: string | null
  /** Step of the last accepted code. */
  readonly lastCodeStep: number
  readonly passkeys: readonly Passkey[]
  readonly savedViews: readonly SavedView[]
  /** Answered challenges, kept until they expire. */
  readonly challenges: readonly PasskeyChallenge[]
  readonly sessions: readonly PersonSession[]
  /** Wall-clock ms of the failed sign-ins since the last successful one. */
  readonly failures: readonly number[]
  readonly lastSignInAtMs: number | null
  /** Contexts of earlier versions have none of these. */
  readonly networks?: readonly string[]
  /** How often the person was locked in a row, and when last. */
  readonly locks?: { readonly count: number; readonly atMs: number }
  readonly removal?: ProposedRemoval | null
  readonly awaiting?: AwaitedRights | null
  readonly vouchers?: readonly Voucher[]
  /** Who confirmed the removal. */
  readonly departure?: SecondSignature
}
