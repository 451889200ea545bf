/** The public view of a person. It contains hashes of sign-ins, by which gateways find people. */
import type { SnapshotFrom } from 'xstate'
import type { PersonSecrets, PersonView } from '../../../proto/access/people/person.ts'
import { stateView } from '../common/state.ts'
import type { personMachine } from './machine.ts'
import { passkeyView } from './passkeys.ts'

export type PersonSnapshot = SnapshotFrom<typeof personMachine>

export function personView({ context, value }: PersonSnapshot): PersonView {
  const { invitation, reset, deadlines, lastSignInAtMs, removal, awaiting, vouchers } = context
  return {
    ...stateView(context),
    email: context.email,
    name: context.name,
    kind: context.kind,
    roles: context.roles,
    status: value,
    hasTotp: context.totp !== null,
    passkeys: context.passkeys.map(passkeyView),
    savedViews: context.savedViews,
    sessions: context.sessions,
    ...(invitation && { invitation }),
    ...(reset && { reset }),
    ...(deadlines['unlock'] !== undefined && { lockedUntilMs: deadlines['unlock'] }),
    ...(context.networks && { networks: context.networks }),
    ...(removal && { removal }),
    ...(awaiting && { awaiting }),
    ...(vouchers && vouchers.length > 0 && { vouchers }),
    ...(lastSignInAtMs !== null && { lastSignInAtMs }),
  }
}

/** For the gateway that verifies a sign-in; never published. */
export function personSecrets(snapshot: PersonSnapshot): PersonSecrets {
  const { password, totp, passkeys } = snapshot.context
  return {
    view: personView(snapshot),
    passkeys,
    ...(password !== null && { password }),
    ...(totp !== null && { totp }),
  }
}
