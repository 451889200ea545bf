/** People: listing, inviting and removing them. */
import { only } from '../../../access/rule.ts'
import { everywhere, type Page, type Section } from '../../page.ts'
import type { Surface } from '../../visit.ts'
import { invite, reinvite, showInvite } from './invite.tsx'
import { kindOf, type Kind } from './kind.ts'
import { showPeople } from './list.tsx'
import { remove, showPerson } from './person.tsx'
import { reset } from './reset.tsx'

const staffOnly: readonly Surface[] = ['staff']

export const people: Section = {
  group: 'Oversight',
  nav: [
    { label: 'Members', path: kindOf('member').path, in: everywhere },
    { label: 'Staff', path: kindOf('staff').path, in: staffOnly },
  ],
  pages: [...pagesOf('member', everywhere), ...pagesOf('staff', staffOnly)],
}

function pagesOf(kind: Kind, surfaces: readonly Surface[]): readonly Page[] {
  const { path } = kindOf(kind)
  const shared = { in: surfaces } as const
  const keepers = kind === 'staff' ? only('admin') : only('admin', 'owner')
  const show = showPerson(kind)
  const isNew = { path: `${path}/new`, who: keepers, show: showInvite(kind) }
  return [
    { ...shared, path, show: showPeople(kind) },
    { ...shared, ...isNew, submit: invite(kind) },
    { ...shared, path: `${path}/{id}`, show },
    { ...shared, path: `${path}/{id}/reinvite`, submit: reinvite(kind), again: show },
    { ...shared, path: `${path}/{id}/reset`, submit: reset(kind), again: show },
    { ...shared, path: `${path}/{id}/remove`, submit: remove(kind), again: show },
  ]
}
