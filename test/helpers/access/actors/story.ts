/** People, a client and the objects that its access depends on, for tests of Surface A. */
import type { Author, AccessRole } from '../../../../proto/access/author.ts'
import { clientActor } from '../../../../proto/access/engagement/client.ts'
import {
  accessPrefixes,
  platformTenant,
  type AccessId,
  type AccessObject,
} from '../../../../proto/access/ids.ts'
import { dayMs } from '../../../../proto/units.ts'
import { needActor } from '../../../../proto/access/engagement/need.ts'
import { personActor } from '../../../../proto/access/people/person.ts'
import type { Permission } from '../../../../proto/access/permissions.ts'
import {
  requestActor,
  type RequestTerms,
  type RequestView,
} from '../../../../proto/access/grants/request.ts'
import { scopeActor } from '../../../../proto/access/engagement/scope.ts'
import type { Directory } from '../../../../runtime/actor/directory.ts'

export type Asked = Pick<Directory, 'ask' | 'create'>

/** Ids that are the same in every run. */
export const accessIdOf = <K extends AccessObject>(kind: K, n: number): AccessId<K> =>
  `${accessPrefixes[kind]}_${String(n).padStart(26, '0')}`

const staff = (n: number, ...roles: AccessRole[]): Author => ({
  kind: 'staff',
  id: accessIdOf('person', n),
  roles,
})

export const admin = staff(1, 'admin')
export const secondAdmin = staff(2, 'admin')
export const asker = staff(3, 'operator')
export const reviewers = [staff(4, 'reviewer'), staff(5, 'reviewer'), staff(6, 'reviewer')] as const
export const owner: Author = { kind: 'member', id: accessIdOf('person', 7), roles: ['owner'] }
/** The person who gets the access. */
export const subjectId = accessIdOf('person', 8)

export const client = accessIdOf('client', 1)
export const scope = accessIdOf('scope', 1)
export const need = accessIdOf('need', 1)
export const mine = { tenant: client } as const
/** Makes the answer wait until the actor has no effects left. */
export const settled = { ...mine, untilSettled: true } as const
export const because = 'as it was agreed on'

const contracted: readonly Permission[] = [
  { area: 'contacts', actions: ['read', 'write'] },
  { area: 'tasks', actions: ['read', 'write', 'delete'] },
  { area: 'domains', actions: ['read'] },
]

/** The contracted scope: for two years from now, unless given otherwise. */
export const scopeTerms = (nowMs: number) => ({
  name: 'Delivery',
  summary: '',
  engagementRef: '',
  paths: ['api', 'portal', 'webhooks', 'custom'] as const,
  areas: contracted,
  effectiveFromMs: nowMs,
  effectiveToMs: nowMs + 730 * dayMs,
})

async function inviteSubject(directory: Asked, nowMs: number): Promise<void> {
  await directory.create(
    personActor,
    subjectId,
    {
      id: subjectId,
      tenant: platformTenant,
      by: admin,
      createdAtMs: nowMs,
      email: 'sub@example.com',
      name: 'Sub Ject',
      kind: 'staff',
      roles: ['operator'],
      invitationHash: '0'.repeat(64),
    },
    { tenant: platformTenant },
  )
}

/** Makes an active client with a scope in force, a need open for two years, and the subject. */
export async function layBasis(directory: Asked, nowMs: number): Promise<void> {
  const born = { tenant: client, by: admin, createdAtMs: nowMs }
  await directory.create(
    clientActor,
    client,
    {
      ...born,
      id: client,
      name: 'Acme',
      slug: 'acme',
      contact: { name: 'Ann', email: 'ann@acme.test' },
      timezone: 'UTC',
      locale: 'en',
    },
    mine,
  )
  await directory.create(scopeActor, scope, { ...born, id: scope, terms: scopeTerms(nowMs) }, mine)
  const { view } = await directory.ask(scopeActor, scope, { type: 'submit', by: admin }, mine)
  const confirm = { type: 'confirm', by: secondAdmin, digest: view.digest ?? '' } as const
  await directory.ask(scopeActor, scope, confirm, settled)
  await directory.ask(clientActor, client, { type: 'activate', by: secondAdmin }, mine)
  await directory.create(
    needActor,
    need,
    {
      ...born,
      id: need,
      title: 'Clean up the contacts',
      purpose: 'The contacts have duplicates that have to be merged.',
      category: 'delivery',
      reference: { kind: 'ticket', id: 'T-1' },
      ownerId: accessIdOf('person', 3),
      expectedEndAtMs: nowMs + 730 * dayMs,
    },
    mine,
  )
  await inviteSubject(directory, nowMs)
}

/** A day of reading contacts, which two people have to approve: staff and the client's owner. */
export const termsAt = (nowMs: number, more: Partial<RequestTerms> = {}): RequestTerms => ({
  scopeId: scope,
  needId: need,
  path: 'api',
  subject: { kind: 'person', id: subjectId },
  permissions: [{ area: 'contacts', actions: ['read'] }],
  cidrs: [],
  endsAtMs: nowMs + dayMs,
  justification: 'Needed to merge the duplicates.',
  emergency: false,
  ...more,
})

export async function draft(directory: Asked, n: number, nowMs: number, terms: RequestTerms) {
  const id = accessIdOf('request', n)
  await directory.create(
    requestActor,
    id,
    { id, tenant: client, by: asker, createdAtMs: nowMs, terms },
    mine,
  )
  return id
}

export async function submit(directory: Asked, id: string, by = asker): Promise<RequestView> {
  return (await directory.ask(requestActor, id, { type: 'submit', by }, settled)).view
}

let reviews = 0

export const reviewOf = (
  by: Author,
  digest: string | null,
  decision: 'approve' | 'deny' | 'request_changes' = 'approve',
) => ({
  type: 'review' as const,
  by,
  reviewId: accessIdOf('review', ++reviews),
  decision,
  reason: because,
  digest: digest ?? '',
})
