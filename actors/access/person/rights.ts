/**
 * Roles that decide, and resets, which may wait until a second person confirms them; and who could
 * act as the person meanwhile. Gateways say what waits, because they know who could confirm it.
 */
import type { Author } from '../../../proto/access/author.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { isRecent, wasReset } from '../../../proto/access/people/independence.ts'
import type {
  AwaitedRights,
  OneTimeSecret,
  PersonInput,
  personActor,
  Voucher,
} from '../../../proto/access/people/person.ts'
import {
  askersOf,
  decidingRoles,
  isOnlyTaking,
  rolesGiven,
  rolesMeanwhile,
} from '../../../proto/access/people/rights.ts'
import type { MessageTo } from '../../../proto/actor.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { admitSecond } from '../common/admit.ts'
import type { PersonContext } from './context.ts'

type Rights = Partial<Pick<PersonContext, 'roles' | 'awaiting' | 'vouchers' | 'reset'>>
type Given<V extends keyof (typeof personActor)['verbs']> = MessageTo<typeof personActor, V> & {
  readonly at: number
}

/** The operator of the host and the service itself do not act as other people. */
const voucherOf = (
  { kind, id }: Pick<Author, 'kind' | 'id'>,
  voucher: Omit<Voucher, 'by'>,
): readonly Voucher[] => (kind === 'system' ? [] : [{ by: id, ...voucher }])

/** A later word of the same person for the same replaces the earlier one. */
function vouched(
  { vouchers = [] }: Pick<PersonContext, 'vouchers'>,
  added: readonly Voucher[],
  at: number,
): readonly Voucher[] {
  const kept = vouchers.filter(
    (one) => isRecent(one, at) && !added.some(({ by, what }) => one.by === by && one.what === what),
  )
  return [...kept, ...added].slice(-limits.vouchersPerPerson)
}

/** In force without a second person, which the audit marks. */
const alone = (isAlone: boolean) => isAlone && ({ selfReviewed: true } as const)

export function rightsAtFirst(input: PersonInput): Pick<PersonContext, 'roles'> & Rights {
  const { roles, kind, by, createdAtMs: atMs, waits } = input
  const isAlone = by.kind === 'staff' && !waits && decidingRoles(roles).length > 0
  const vouchers = voucherOf(by, { what: 'invitation', atMs, ...alone(isAlone) })
  if (!waits) return { roles, vouchers }
  return { roles: rolesMeanwhile(kind, roles), awaiting: { roles, by, atMs }, vouchers }
}

/** Who makes another invitation has seen its text, so that what was confirmed waits again. */
export function rightsReinvited(
  context: PersonContext,
  { by, at, waits }: Given<'reinvite'>,
): Rights {
  const { kind, awaiting } = context
  const vouchers = vouched(context, voucherOf(by, { what: 'invitation', atMs: at }), at)
  if (!waits) return { vouchers }
  const roles = awaiting?.roles ?? context.roles
  return { roles: rolesMeanwhile(kind, roles), awaiting: { roles, by, atMs: at }, vouchers }
}

export function rightsReplaced(
  context: PersonContext,
  { by, at, roles, waits }: Given<'set_roles'>,
): Rights {
  if (waits) return { awaiting: { roles, by, atMs: at } }
  const isGiven = rolesGiven(context.roles, roles).length > 0
  const added = isGiven ? voucherOf(by, { what: 'roles', atMs: at }) : []
  return { roles, awaiting: null, vouchers: vouched(context, added, at) }
}

export function resetMade({ by, at, resetHash, waits }: Given<'reset'>): OneTimeSecret {
  const expiresAtMs = at + limits.resetMs
  const author = by.kind === 'system' ? {} : { by: by.id }
  return { hash: resetHash, expiresAtMs, ...author, ...(waits && { waits }) }
}

/**
 * Who made a reset may have used it. One by the operator of the host voids the credentials of all who
 * let the person in before.
 */
export function rightsReset(context: PersonContext, at: number): Rights {
  const { by, confirmedBy } = context.reset ?? {}
  const { vouchers = [] } = context
  if (by === undefined) return { vouchers: vouchers.filter(({ what }) => what === 'roles') }
  const isAlone = confirmedBy === undefined && decidingRoles(context.roles).length > 0
  const confirmed = confirmedBy === undefined ? {} : { confirmedBy }
  const voucher = { by, what: 'reset', atMs: at, ...confirmed, ...alone(isAlone) } as const
  return { vouchers: vouched(context, [voucher], at) }
}

/** The operator of the host knows who is who: after their word the person is independent. */
export function rightsConfirmed(context: PersonContext, { by, at }: Given<'confirm'>): Rights {
  const { awaiting, reset } = context
  const roles = awaiting?.roles ?? context.roles
  const rights = { roles, awaiting: null, reset: reset && confirmedReset(reset, by) }
  if (by.kind === 'system') return { ...rights, vouchers: [] }
  if (!awaiting || rolesGiven(context.roles, roles).length === 0) return rights
  const vouchers = vouched(context, roleVoucher(context, awaiting, at), at)
  return { ...rights, vouchers: vouchers.map((one) => ({ confirmedBy: by.id, ...one })) }
}

/** Whom the same person has just invited needs no second mark. */
function roleVoucher(
  { vouchers = [] }: PersonContext,
  { by, atMs }: AwaitedRights,
  at: number,
): readonly Voucher[] {
  const isInvited = vouchers.some((one) => one.by === by.id && one.atMs === atMs)
  return isInvited ? [] : voucherOf(by, { what: 'roles', atMs: at })
}

function confirmedReset({ waits, ...reset }: OneTimeSecret, by: Author): OneTimeSecret {
  const { hash, expiresAtMs } = reset
  if (by.kind === 'system') return { hash, expiresAtMs }
  return waits ? { ...reset, confirmedBy: by.id } : reset
}

const isUnconfirmed = (
  { awaiting, reset, vouchers = [] }: Pick<PersonContext, 'awaiting' | 'reset' | 'vouchers'>,
  by: Author,
): boolean => !!awaiting || !!reset?.waits || (by.kind === 'system' && vouchers.length > 0)

/** Throws unless this author may confirm what waits. */
export function admitConfirmation(
  context: PersonContext,
  { by }: { readonly by: Author },
  at: number,
): void {
  if (!isUnconfirmed(context, by)) {
    throw new ServiceError('conflict', 'Nothing of this person waits for a confirmation.')
  }
  if (by.kind === 'system') return
  const { awaiting, reset, id } = context
  const waiting = { ...(awaiting && { awaiting }), ...(reset && { reset }) }
  admitSecond(by, askersOf(waiting), 'Confirming what you asked for')
  const isOwnWordEnough = isOnlyTaking({ roles: context.roles, ...waiting })
  if (!isOwnWordEnough || wasReset(context, at)) {
    admitSecond(by, [id], 'Confirming your own rights')
  }
}
