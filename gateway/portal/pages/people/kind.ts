/** The two kinds of people, members and staff, whose pages share their code. */
import { memberRoles, staffRoles, type AccessRole } from '../../../../proto/access/author.ts'

export type PersonKind = 'member' | 'staff'

interface KindFacts {
  /** The path below `/portal` and `/staff`. */
  readonly path: string
  readonly route: '/v1/members' | '/v1/staff'
  readonly title: string
  readonly lead: string
  readonly roles: readonly AccessRole[]
}

const kinds: Readonly<Record<PersonKind, KindFacts>> = {
  member: {
    path: '/members',
    route: '/v1/members',
    title: 'Members',
    lead: 'The client’s people. Owners invite people, open needs and decide for the client.',
    roles: memberRoles,
  },
  staff: {
    path: '/people',
    route: '/v1/staff',
    title: 'Staff',
    lead: 'The provider’s people. None of them has standing access to a client’s data.',
    roles: staffRoles,
  },
}

export const personKindFacts = (kind: PersonKind): KindFacts => kinds[kind]
