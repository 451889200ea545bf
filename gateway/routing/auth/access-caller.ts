/** The callers of scoped access: an access token of a grant, or a signed-in person. */
import { hasRole, type Author, type AccessRole } from '../../../proto/access/author.ts'
import type { GrantView, TokenView } from '../../../proto/access/grants/grant.ts'
import type { ClientId } from '../../../proto/access/ids.ts'
import type { PersonSession, PersonView } from '../../../proto/access/people/person.ts'
import { ServiceError } from '../../../proto/errors.ts'

/** The origin of a request, for the audit and for rate limits. */
export interface RequestOrigin {
  readonly requestId: string
  /** The client's address. */
  readonly address: string
  /** Headers of every answer to this request, including refusals; for example its rate limits. */
  readonly answerHeaders?: Readonly<Record<string, string>>
}

export interface TokenCaller extends RequestOrigin {
  readonly kind: 'token'
  /** For logs: the token's id. */
  readonly keyId: string
  readonly clientId: ClientId
  readonly grant: GrantView
  readonly token: TokenView
}

export interface PersonCaller extends RequestOrigin {
  readonly kind: 'person'
  /** For logs: the person's id. */
  readonly keyId: string
  readonly person: PersonView
  readonly session: PersonSession
}

export type AccessCaller = TokenCaller | PersonCaller

/** The author of the commands that the caller causes. */
export function authorOf(caller: AccessCaller, singleOperator: boolean): Author {
  const { requestId } = caller
  if (caller.kind === 'token') return { kind: 'integration', id: caller.grant.id, requestId }
  const { id, kind, roles } = caller.person
  return { kind, id, roles, requestId, ...(singleOperator && { singleOperator: true }) }
}

/** The client whose data the caller may know of; undefined for staff, who serve all clients. */
export function callerTenantOf(caller: AccessCaller): string | undefined {
  if (caller.kind === 'token') return caller.clientId
  return caller.person.kind === 'staff' ? undefined : caller.person.tenant
}

/** Throws `forbidden` unless the caller is a person who has one of `roles`, if any are named. */
export function personWith(caller: AccessCaller, ...roles: readonly AccessRole[]): PersonCaller {
  if (caller.kind !== 'person') {
    throw new ServiceError('forbidden', 'Only people can do this: sign in (POST /v1/sign-in).')
  }
  if (roles.length === 0 || hasRole(caller.person, ...roles)) {
    return caller
  }
  throw new ServiceError(
    'forbidden',
    `Only people with the role ${roles.join(' or ')} can do this.`,
  )
}
