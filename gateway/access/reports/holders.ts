/**
 * Determines the access with which reports are read and made. A token uses its grant. A person uses
 * their own active grants for the paths of people and nothing else.
 */
import type { AreaKey } from '../../../proto/access/areas/areas.ts'
import { pathUses } from '../../../proto/access/engagement/scope.ts'
import { hasRole, type StaffRole } from '../../../proto/access/author.ts'
import { isAccessId, type ClientId } from '../../../proto/access/ids.ts'
import { ServiceError } from '../../../proto/errors.ts'
import type { GrantedAccess } from '../gate/access.ts'
import { isFrom, type Authorizer } from '../gate/authorize.ts'
import type { GrantCall } from '../../routing/auth/access-rule.ts'
import { authorOf, type AccessCaller, type PersonCaller } from '../../routing/auth/access-caller.ts'
import type { AccessChain } from '../gate/chain.ts'
import { wholeAreas, withReportVisibility } from '../../../runtime/access/report-visibility.ts'

/** The staff who make reports, and so see drafts. */
export const reportMakers = ['operator', 'reviewer'] as const satisfies readonly StaffRole[]

export class ReportHolders {
  readonly #chain: AccessChain
  readonly #authorizer: Authorizer

  constructor(chain: AccessChain, authorizer: Authorizer) {
    this.#chain = chain
    this.#authorizer = authorizer
  }

  /** The access with which this caller reads reports. `client` selects the client for staff. */
  of(caller: AccessCaller, client?: string): GrantedAccess {
    if (caller.kind === 'token') return this.#authorizer.authorize(caller, 'reports', 'read')
    const clientId = this.#clientOf(caller, client)
    const { person, requestId } = caller
    const grants = this.#grantsOf(caller, clientId)
    const held = grants.map((grant) => ({ grant, permissions: this.#authorizer.held(grant) }))
    const mayRead = held.find(({ permissions }) =>
      permissions.some(({ area, actions }) => area === 'reports' && actions.includes('read')),
    )
    if (!mayRead) throw noGrantError('reports')
    const all = held.flatMap(({ permissions }) => permissions)
    const drafts = person.kind === 'staff' && hasRole(person, ...reportMakers)
    const { id: grantId, needId } = mayRead.grant
    const author = authorOf(caller, false)
    const permissions = withReportVisibility(all, { drafts })
    return { clientId, permissions, author, grantId, needId, requestId }
  }

  /** For a list, where staff name the client, or for one report. */
  reader({ caller, request, params: { id } }: GrantCall): GrantedAccess {
    if (id !== undefined) return this.forReport(caller, id)
    return this.of(caller, request.query.get('client_id') ?? undefined)
  }

  /** For one report. Staff serve all clients; for a member, another client's report is unknown. */
  forReport(caller: AccessCaller, id: string): GrantedAccess {
    const isStaff = caller.kind === 'person' && caller.person.kind === 'staff'
    return this.of(caller, isStaff ? this.#chain.get('report', id)?.tenant : undefined)
  }

  /** Throws `insufficient_scope` for the first area that the access does not cover completely. */
  assertHolds(access: GrantedAccess, areas: readonly AreaKey[]): void {
    const held = wholeAreas(access.permissions)
    const lacking = areas.find((area) => !held.includes(area))
    if (lacking !== undefined) throw noGrantError(lacking)
  }

  #clientOf(caller: PersonCaller, asked: string | undefined): ClientId {
    const { person } = caller
    const own = person.kind === 'member' ? person.tenant : undefined
    const client = asked ?? own ?? this.#onlyClientOf(caller)
    if (!isAccessId('client', client)) throw noClientError()
    if (own !== undefined && own !== client) throw noClientError()
    return client
  }

  /** Staff with grants of only one client need not name it. */
  #onlyClientOf(caller: PersonCaller): string {
    const clients = this.#grantsOf(caller)
      .filter((grant) => this.#authorizer.held(grant).length > 0)
      .map(({ tenant }) => tenant)
    const [first, ...others] = new Set(clients)
    if (first === undefined) throw noGrantError('reports')
    if (others.length === 0) return first
    throw new ServiceError('bad_request', 'Name the client: ?client_id=cli_….', {
      field: 'client_id',
    })
  }

  #grantsOf({ person, address }: PersonCaller, client?: ClientId) {
    return this.#chain
      .grantsFor(person.id)
      .filter(({ tenant }) => client === undefined || tenant === client)
      .filter(({ subject, path }) => subject.kind === 'person' && pathUses[path].reports)
      .filter(({ cidrs }) => isFrom(address, cidrs))
  }
}

function noGrantError(area: AreaKey): ServiceError {
  const scope = `${area}:read`
  const text = `You hold no grant with ${scope} for all records of this client`
  const message = `${text}: request one (POST /v1/access-requests, with yourself as its subject).`
  return new ServiceError('insufficient_scope', message, { scope })
}

const noClientError = () => new ServiceError('not_found', 'There is no client with this id.')
