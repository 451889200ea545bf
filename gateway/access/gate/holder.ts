/** Decides who holds a grant, that is, may create its tokens and webhook endpoints. */
import { hasRole } from '../../../proto/access/author.ts'
import type { GrantView } from '../../../proto/access/grants/grant.ts'
import type { PersonView } from '../../../proto/access/people/person.ts'
import { ServiceError } from '../../../proto/errors.ts'
import type { AccessCaller } from '../../routing/auth/access-caller.ts'

type Held = Pick<GrantView, 'subject' | 'tenant'>

/** A person's grant is held by its subject; an integration's by those who run it. */
export const isHolder = (
  { subject, tenant }: Held,
  person: Pick<PersonView, 'id' | 'tenant' | 'roles'>,
): boolean =>
  subject.kind === 'person'
    ? subject.id === person.id
    : hasRole(person, 'operator') || (person.tenant === tenant && hasRole(person, 'owner'))

/** Throws `forbidden` if the caller does not hold the grant. */
export function assertHolder(grant: Held, caller: AccessCaller): void {
  if (caller.kind !== 'person' || !isHolder(grant, caller.person)) throw notHolderError()
}

export const notHolderError = () =>
  new ServiceError(
    'forbidden',
    'Only the subject of the grant may do this; for an integration, an owner of the client or ' +
      'a staff operator.',
  )
