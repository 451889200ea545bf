/**
 * The effective permissions of a grant at this moment: what was granted, limited by the current
 * terms of its service scope, while everything that it depends on is in force. Gateways check it on
 * each request, and workers before each webhook.
 */
import type { ClientView } from '../../proto/access/engagement/client.ts'
import type { GrantView } from '../../proto/access/grants/grant.ts'
import type { NeedView } from '../../proto/access/engagement/need.ts'
import { intersectAllPermissions, type Permission } from '../../proto/access/permissions.ts'
import type { PersonView } from '../../proto/access/people/person.ts'
import type { ScopeView } from '../../proto/access/engagement/scope.ts'
import { ServiceError } from '../../proto/errors.ts'

export interface ChainViews {
  readonly client: ClientView
  readonly scope: ScopeView
  readonly need: NeedView
  readonly grant: GrantView
  readonly person: PersonView
}

/** The newest view of each entity; undefined if it is unknown. */
export interface ChainLookup {
  get<K extends keyof ChainViews>(kind: K, id: string): ChainViews[K] | undefined
}

type Around = Pick<GrantView, 'tenant' | 'scopeId' | 'needId' | 'subject'>

/** The scope of a grant whose dependencies are all in force. Throws `access_suspended`. */
export function scopeInForce(
  chain: ChainLookup,
  { tenant, scopeId, needId, subject }: Around,
  nowMs: number,
): ScopeView {
  const client = chain.get('client', tenant)
  const need = chain.get('need', needId)
  const scope = chain.get('scope', scopeId)
  if (client?.status !== 'active') throw suspendedError('The client is not active.')
  if (!need || need.status === 'closed') throw suspendedError('The need of this access is closed.')
  const terms = scope?.status === 'active' ? scope.current : null
  if (!scope || !terms || nowMs < terms.effectiveFromMs || terms.effectiveToMs <= nowMs) {
    throw suspendedError('The service scope of this access is not in force.')
  }
  if (subject.kind === 'person') {
    const person = chain.get('person', subject.id)
    if (!person || person.status === 'removed')
      throw suspendedError('The subject of this access was removed.')
  }
  return scope
}

/** Empty if the grant, or anything it depends on, is not in force. */
export function permissionsInForce(
  chain: ChainLookup,
  grant: GrantView,
  nowMs: number,
): readonly Permission[] {
  const { status, startsAtMs, endsAtMs, permissions } = grant
  if (status !== 'active' || nowMs < startsAtMs || endsAtMs <= nowMs) return []
  try {
    return intersectAllPermissions(
      permissions,
      scopeInForce(chain, grant, nowMs).current?.areas ?? [],
    )
  } catch (error) {
    if (error instanceof ServiceError && error.type === 'access_suspended') return []
    throw error
  }
}

const suspendedError = (why: string) =>
  new ServiceError('access_suspended', `${why} Ask an owner of the client or a staff admin.`)
