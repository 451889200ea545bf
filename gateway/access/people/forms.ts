/** The two kinds of people, members of clients and staff, whose routes share their code. */
import { staffRoles } from '../../../proto/access/author.ts'
import { memberRoleList, personActor, staffRoleList } from '../../../proto/access/people/person.ts'
import type { UniqueNames } from '../../../runtime/access/people/unique-names.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import { onlyRoles, peopleRule } from '../../routing/auth/access-rule.ts'
import type { AccessNotes } from '../gate/notes.ts'
import type { EntityDeps } from '../governance/entity-routes.ts'
import { personData, personJson } from './json.ts'
import type { LastOnes } from './last-ones.ts'
import type { SecondPerson } from './second-person.ts'

export interface PeopleRouteDeps extends EntityDeps {
  readonly names: UniqueNames
  readonly lastOnes: LastOnes
  readonly secondPerson: SecondPerson
  readonly clock: Clock
  readonly notes: AccessNotes
}

const shared = { actor: personActor, json: personJson, data: personData } as const
export const members = {
  ...shared,
  path: '/v1/members',
  noun: 'members of clients',
  read: peopleRule,
  shows: ({ kind }: { readonly kind: string }) => kind === 'member',
  roles: memberRoleList,
} as const
export const staff = {
  ...shared,
  path: '/v1/staff',
  noun: 'staff',
  read: onlyRoles(...staffRoles),
  shows: ({ kind }: { readonly kind: string }) => kind === 'staff',
  roles: staffRoleList,
} as const

export type PeopleForm = typeof members | typeof staff
