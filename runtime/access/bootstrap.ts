/**
 * The first two people of the provider. Invitations need an existing person, so these two are
 * created from the command line by the operator of the service.
 */
import { system } from '../../proto/access/author.ts'
import { newAccessId, platformTenant, type Tenant } from '../../proto/access/ids.ts'
import { personActor } from '../../proto/access/person.ts'
import { newSecret } from '../../proto/access/secret-text.ts'
import { buckets } from '../../proto/subjects.ts'
import type { Clock } from '../clock.ts'
import type { Directory } from '../directory.ts'
import type { Store } from '../store.ts'
import { Names } from './names.ts'

export interface Invitation {
  readonly email: string
  /** The invitation for POST /v1/sign-in/invitations; shown once. */
  readonly text: string
}

export interface NewStaff {
  readonly email: string
  readonly name: string
}

/** All roles, so that each of the two can decide on what the other has started. */
const roles = ['admin', 'reviewer', 'operator', 'change_manager', 'auditor'] as const

export interface BootstrapDeps {
  readonly directory: Pick<Directory, 'create'>
  readonly store: Store
  readonly clock: Clock
}

export async function inviteStaff(
  { directory, store, clock }: BootstrapDeps,
  people: readonly NewStaff[],
): Promise<readonly Invitation[]> {
  const names = new Names(store.bucket(buckets.names), clock)
  const invitations: Invitation[] = []
  for (const { email, name } of people) {
    const createdAtMs = clock.now()
    const id = newAccessId('person', createdAtMs)
    await names.take('email', email, id, async () => true)
    const { text, hash } = newSecret('invitation')
    const by = system('bootstrap')
    const tenant: Tenant = platformTenant
    const who = { id, tenant, createdAtMs, by, email, name, roles }
    await directory.create(personActor, id, { ...who, kind: 'staff', invitationHash: hash })
    invitations.push({ email, text })
  }
  return invitations
}
