/**
 * Rights that take two people: roles that decide for others, and resets of the sign-in of those who
 * have them. Actors decide by it, and pages derive their buttons from it.
 */
import type { AccessRole } from '../author.ts'
import type { AwaitedRights, PersonView } from './person.ts'

const deciding: readonly AccessRole[] = ['admin', 'reviewer', 'change_manager', 'owner']

export const decidingRoles = (roles: readonly AccessRole[]): readonly AccessRole[] =>
  roles.filter((role) => deciding.includes(role))

/** What a person has while the roles that decide wait; a member always has `member`. */
export function rolesMeanwhile(
  kind: PersonView['kind'],
  roles: readonly AccessRole[],
): readonly AccessRole[] {
  const rest = roles.filter((role) => !deciding.includes(role))
  return rest.length === 0 && kind === 'member' ? ['member'] : rest
}

/** The roles that decide and are in `wanted` but not in `roles`. */
export const rolesGiven = (
  roles: readonly AccessRole[],
  wanted: readonly AccessRole[],
): readonly AccessRole[] => decidingRoles(wanted).filter((role) => !roles.includes(role))

type Waiting = Pick<PersonView, 'roles' | 'reset'> & {
  readonly awaiting?: AwaitedRights | null
}

/** Ids of the people who asked for what waits; another one confirms it. */
export const askersOf = ({
  awaiting,
  reset,
}: Pick<PersonView, 'awaiting' | 'reset'>): readonly string[] =>
  [awaiting?.by.id, reset?.waits && reset.by].filter((id) => typeof id === 'string')

/** Whether roles are only taken, which the person can confirm too. */
export const isOnlyTaking = ({ roles, awaiting, reset }: Waiting): boolean =>
  !!awaiting && !reset?.waits && rolesGiven(roles, awaiting.roles).length === 0
