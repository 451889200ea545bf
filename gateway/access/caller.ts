/** Who calls a route of Surface A: an access token of a grant, or a person who has signed in. */
import { hasRole, type Author, type AccessRole } from '../../proto/access/author.ts'
import type { GrantView, TokenView } from '../../proto/access/grant.ts'
import type { ClientId } from '../../proto/access/ids.ts'
import type { PersonSession, PersonView } from '../../proto/access/person.ts'
import { ServiceError } from '../../proto/errors.ts'

/** Where a request came from and which one it is: for the audit, and for limits. */
export interface Origin {
  readonly requestId: string
  /** The client's address. */
  readonly address: string
  /** Of every answer to it, refusals too, such as those of its rate. */
  readonly answerHeaders?: Readonly<Record<string, string>>
}

export interface TokenCaller extends Origin {
  readonly kind: 'token'
  /** For logs: the token's id. */
  readonly keyId: string
  readonly clientId: ClientId
  readonly grant: GrantView
  readonly token: TokenView
}

export interface PersonCaller extends Origin {
  readonly kind: 'person'
  /** For logs: the person's id. */
  readonly keyId: string
  readonly person: PersonView
  readonly session: PersonSession
}

export type AccessCaller = TokenCaller | PersonCaller

/** In whose name a command is sent. */
export function authorOf(caller: AccessCaller, singleOperator: boolean): Author {
  const { requestId } = caller
  if (caller.kind === 'token') return { kind: 'integration', id: caller.grant.id, requestId }
  const { id, kind, roles } = caller.person
  return { kind, id, roles, requestId, ...(singleOperator && { singleOperator: true }) }
}

/** The client whose things the caller may be told of; undefined for staff, who serve all. */
export function tenantOf(caller: AccessCaller): string | undefined {
  if (caller.kind === 'token') return caller.clientId
  return caller.person.kind === 'staff' ? undefined : caller.person.tenant
}

/** Throws `forbidden` for anyone but a person, and one of these roles where some are named. */
export function personWith(caller: AccessCaller, ...roles: readonly AccessRole[]): PersonCaller {
  if (caller.kind !== 'person') {
    throw new ServiceError('forbidden', 'This is for people: sign in (POST /v1/sign-in).')
  }
  if (roles.length === 0 || hasRole(caller.person, ...roles)) {
    return caller
  }
  throw new ServiceError('forbidden', `This is for people with the role ${roles.join(' or ')}.`)
}
