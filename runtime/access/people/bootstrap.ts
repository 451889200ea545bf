/**
 * The first two people of the provider. Invitations need an existing person, so these two are
 * created from the command line by the operator of the service.
 */
import { staffRoles, systemAuthor } from '../../../proto/access/author.ts'
import { newAccessId, platformTenant, type Tenant } from '../../../proto/access/ids.ts'
import { personActor } from '../../../proto/access/people/person.ts'
import { newSecretText } from '../../../proto/access/people/secret-text.ts'
import { buckets } from '../../../proto/subjects.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Directory } from '../../actor/directory.ts'
import type { Store } from '../../store/store.ts'
import { UniqueNames } from './unique-names.ts'

export interface StaffInvitation {
  readonly email: string
  /** The invitation for POST /v1/sign-in/invitations; shown once. */
  readonly text: string
}

export interface BootstrapPerson {
  readonly email: string
  readonly name: string
}

export interface BootstrapDeps {
  readonly directory: Pick<Directory, 'create'>
  readonly store: Store
  readonly clock: Clock
}

export async function inviteStaff(
  { directory, store, clock }: BootstrapDeps,
  people: readonly BootstrapPerson[],
): Promise<readonly StaffInvitation[]> {
  const names = new UniqueNames(store.bucket(buckets.names), clock)
  const invitations: StaffInvitation[] = []
  for (const { email, name } of people) {
    const createdAtMs = clock.now()
    const id = newAccessId('person', createdAtMs)
    await names.take('email', email, id, async () => true)
    const { text, hash } = newSecretText('invitation')
    const by = systemAuthor('bootstrap')
    const tenant: Tenant = platformTenant
    // All roles, so that each of the two can decide on what the other has started.
    const who = { id, tenant, createdAtMs, by, email, name, roles: staffRoles }
    await directory.create(personActor, id, { ...who, kind: 'staff', invitationHash: hash })
    invitations.push({ email, text })
  }
  return invitations
}
