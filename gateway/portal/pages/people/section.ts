/** People: listing, inviting and removing them. */
import { onlyRoles } from '../../../routing/auth/access-rule.ts'
import { bothSurfaces, type PortalPage, type PortalSection } from '../../page.ts'
import type { Surface } from '../../visit.ts'
import { replaceRoles } from './acts.ts'
import { invitePerson, reinvitePerson, showInvite } from './invite.tsx'
import { personKindFacts, type PersonKind } from './kind.ts'
import { showPeople } from './list.tsx'
import { showPerson } from './person.tsx'
import { confirmRemoval, removePerson, withdrawRemoval } from './removal.tsx'
import { confirmRights } from './rights.tsx'
import { resetPerson } from './reset.tsx'
import { showWho } from './who/page.tsx'
import { whoPath, whoRule } from './who/link.tsx'

const staffOnly: readonly Surface[] = ['staff']

const removalOfStaff: readonly PortalPage[] = [
  {
    ...{ path: '/people/{id}/confirm-removal', in: staffOnly },
    ...{ submit: confirmRemoval('staff'), again: showPerson('staff') },
  },
  {
    ...{ path: '/people/{id}/withdraw-removal', in: staffOnly },
    ...{ submit: withdrawRemoval('staff'), again: showPerson('staff') },
  },
]

export const peopleSection: PortalSection = {
  group: 'Oversight',
  nav: [
    { label: 'Members', path: personKindFacts('member').path, in: bothSurfaces },
    { label: 'Staff', path: personKindFacts('staff').path, in: staffOnly },
  ],
  pages: [
    ...pagesOf('member', bothSurfaces),
    ...pagesOf('staff', staffOnly),
    { path: whoPath('{id}'), in: bothSurfaces, who: whoRule, show: showWho },
  ],
}

function pagesOf(kind: PersonKind, surfaces: readonly Surface[]): readonly PortalPage[] {
  const { path } = personKindFacts(kind)
  const shared = { in: surfaces } as const
  const keepers = kind === 'staff' ? onlyRoles('admin') : onlyRoles('admin', 'owner')
  const show = showPerson(kind)
  const isNew = { path: `${path}/new`, who: keepers, show: showInvite(kind) }
  return [
    { ...shared, path, show: showPeople(kind) },
    { ...shared, ...isNew, submit: invitePerson(kind) },
    { ...shared, path: `${path}/{id}`, show },
    { ...shared, path: `${path}/{id}/reinvite`, submit: reinvitePerson(kind), again: show },
    { ...shared, path: `${path}/{id}/reset`, submit: resetPerson(kind), again: show },
    { ...shared, path: `${path}/{id}/roles`, submit: replaceRoles(kind), again: show },
    { ...shared, path: `${path}/{id}/confirm`, submit: confirmRights(kind), again: show },
    { ...shared, path: `${path}/{id}/remove`, submit: removePerson(kind), again: show },
    ...(kind === 'staff' ? removalOfStaff : []),
  ]
}
