/**
 * What a grant depends on: its client, its service scope, its need and its subject. Checked when a
 * request is submitted, when its grant is created, and by the grant itself before it opens.
 */
import type { Citation } from '../../../proto/access/common.ts'
import { clientActor, type ClientView } from '../../../proto/access/engagement/client.ts'
import type { GrantTerms } from '../../../proto/access/grants/grant.ts'
import { platformTenant, type ClientId, type GrantId } from '../../../proto/access/ids.ts'
import { needActor, type NeedView } from '../../../proto/access/engagement/need.ts'
import { excessPermissions } from '../../../proto/access/permissions.ts'
import { personActor, type PersonView } from '../../../proto/access/people/person.ts'
import {
  scopeActor,
  type ScopeTerms,
  type ScopeView,
} from '../../../proto/access/engagement/scope.ts'
import { isNotFound, ServiceError } from '../../../proto/errors.ts'
import type { Directory } from '../../../runtime/actor/directory.ts'

export interface AccessBasis {
  readonly client: ClientView
  readonly scope: ScopeView
  readonly need: NeedView
  /** Absent for an integration. */
  readonly person?: PersonView
}

type Named = Pick<GrantTerms, 'scopeId' | 'needId' | 'subject'>
type ActorDirectory = Pick<Directory, 'ask'>

/** Throws `validation_failed` for an entity that does not exist or belongs to another client. */
export function readBasis(
  directory: ActorDirectory,
  tenant: ClientId,
  terms: Named,
): Promise<AccessBasis> {
  return askBasis(directory, tenant, terms, { type: 'get' })
}

/**
 * Registers the grant with each entity and returns their state: an entity that ends later will
 * notify the grant, and one that has ended refuses, or its state shows it.
 */
export function citeBasis(
  directory: ActorDirectory,
  tenant: ClientId,
  terms: Named & Pick<GrantTerms, 'endsAtMs'>,
  grantId: GrantId,
): Promise<AccessBasis> {
  const { endsAtMs } = terms
  return askBasis(directory, tenant, terms, { type: 'cite', grantId, endsAtMs })
}

type Question = { readonly type: 'get' } | ({ readonly type: 'cite' } & Citation)

async function askBasis(
  directory: ActorDirectory,
  tenant: ClientId,
  { scopeId, needId, subject }: Named,
  question: Question,
): Promise<AccessBasis> {
  const mine = { tenant }
  const client = await assertExists(
    '/client_id',
    directory.ask(clientActor, tenant, question, mine),
  )
  const scope = await assertExists('/scope_id', directory.ask(scopeActor, scopeId, question, mine))
  const need = await assertExists('/need_id', directory.ask(needActor, needId, question, mine))
  const basis = { client: client.view, scope: scope.view, need: need.view }
  if (subject.kind !== 'person') return basis
  const person = await askPerson(directory, tenant, subject.id, question)
  return { ...basis, person }
}

/** Staff, or a member of this client; members of other clients are treated as unknown. */
async function askPerson(
  directory: ActorDirectory,
  client: ClientId,
  id: string,
  question: Question,
): Promise<PersonView> {
  const pointer = '/subject/id'
  const { view } = await assertExists(pointer, directory.ask(personActor, id, { type: 'get' }))
  const { tenant } = view
  if (tenant !== client && tenant !== platformTenant) throw unknownError(pointer)
  if (question.type === 'get') return view
  return (await assertExists(pointer, directory.ask(personActor, id, question, { tenant }))).view
}

/** Throws if a grant with these terms would depend on an ended entity, or exceed its limits. */
export function checkBasis(
  terms: Pick<GrantTerms, 'path' | 'permissions' | 'endsAtMs'>,
  { client, scope, need, person }: AccessBasis,
  startsAtMs: number,
): void {
  if (client.status !== 'active') throw inactiveError('client', client.status)
  if (scope.status === 'retired' || !scope.current)
    throw inactiveError('service scope', scope.status)
  if (need.status === 'closed') throw inactiveError('need', need.status)
  if (person?.status === 'removed') throw unknownError('/subject/id')
  const pointers = beyondScope(terms, scope.current, startsAtMs)
  if (pointers.length > 0) {
    const message = `This is more than the service scope "${scope.current.name}" allows; request less, or have the scope extended.`
    throw new ServiceError('not_in_scope', message, { pointers })
  }
  if (terms.endsAtMs > need.expectedEndAtMs) {
    const message = 'Access must not outlast its need; end it earlier, or have the need extended.'
    throw new ServiceError('validation_failed', message, { pointers: ['/ends_at'] })
  }
}

function beyondScope(
  { path, permissions, endsAtMs }: Pick<GrantTerms, 'path' | 'permissions' | 'endsAtMs'>,
  scope: ScopeTerms,
  startsAtMs: number,
): string[] {
  return [
    ...(scope.paths.includes(path) ? [] : ['/path']),
    ...excessPermissions(permissions, scope.areas).map((pointer) => `/permissions${pointer}`),
    ...(startsAtMs < scope.effectiveFromMs ? ['/starts_at'] : []),
    ...(endsAtMs > scope.effectiveToMs ? ['/ends_at'] : []),
  ]
}

/** Throws `validation_failed` with this pointer if it does not exist. */
export async function assertExists<T>(pointer: string, asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    throw isNotFound(error) ? unknownError(pointer) : error
  }
}

/** The same error for what never existed and for what another client owns. */
function unknownError(pointer: string): ServiceError {
  const message = `The id at ${pointer} does not exist in this client.`
  return new ServiceError('validation_failed', message, { pointers: [pointer] })
}

/** Throws `conflict` if it is not in force. */
export function assertInForce(what: string, status: string, isInForce: boolean): void {
  if (!isInForce) throw inactiveError(what, status)
}

function inactiveError(what: string, status: string): ServiceError {
  const message = `The ${what} is ${status}; it must be in force.`
  return new ServiceError('conflict', message, { status })
}
