/** Names of people and programs. Members do not see which staff member did something. */
import { platformTenant } from '../../../proto/access/ids.ts'
import type { GrantSubject } from '../../../proto/access/grants/grant.ts'
import type { Visit } from '../visit.ts'
import { toWords } from './words.ts'

/** `id` is a person's id, a grant's id (for a program), or `system:…`. */
export function objectNameOf(visit: Visit, id: string): string {
  if (id === visit.person.id) return `${visit.person.name} (you)`
  if (id.startsWith('system:'))
    return `Troupe (${toWords(id.slice('system:'.length)).toLowerCase()})`
  const person = visit.deps.chain.get('person', id)
  if (person) {
    const isStaff = person.tenant === platformTenant
    if (visit.isStaff || person.tenant === visit.person.tenant) return person.name
    return isStaff ? 'Staff' : 'Someone'
  }
  const grant = visit.find('grant', id)
  return grant ? subjectName(visit, grant.subject) : 'Troupe'
}

export const subjectName = (visit: Visit, { kind, id }: GrantSubject): string =>
  kind === 'person' ? objectNameOf(visit, id) : `${id} (program)`

export const scopeName = (visit: Visit, id: string): string => {
  const scope = visit.find('scope', id)
  return scope?.current?.name ?? scope?.proposal?.name ?? 'A service scope'
}

export const needTitle = (visit: Visit, id: string): string =>
  visit.find('need', id)?.title ?? 'A need'

export const clientName = (visit: Visit, id: string): string =>
  visit.find('client', id)?.name ?? 'A client'
