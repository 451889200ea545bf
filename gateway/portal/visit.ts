/** One request of a signed-in person, as pages see it. */
import type { ClientView } from '../../proto/access/engagement/client.ts'
import type { AreaAction, PermittedArea } from '../../proto/access/areas/areas.ts'
import type { GrantView } from '../../proto/access/grants/grant.ts'
import type { ClientId } from '../../proto/access/ids.ts'
import { isAccessId } from '../../proto/access/ids.ts'
import { areIndependent } from '../../proto/access/people/independence.ts'
import type { PersonView } from '../../proto/access/people/person.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import type { ReadLog } from '../../runtime/access/audit/sources/reads.ts'
import type { Authorizer, PortalAccess } from '../access/gate/authorize.ts'
import { callerTenantOf, type PersonCaller } from '../routing/auth/access-caller.ts'
import type { AccessChain, AccessKind, AccessViews } from '../access/gate/chain.ts'
import type { RelyingParty } from '../access/passkeys/relying-party.ts'
import type { Approvers } from '../access/people/approvers.ts'
import { knownPeople } from '../access/people/second-person.ts'
import { unknownEntity, type Governance } from '../access/governance/governance.ts'
import type { Records } from '../access/records/records.ts'
import type { HttpRequest } from '../server/http.ts'
import type { InnerCall } from '../routing/inner-request.ts'
import type { InnerApi } from './inner-api.ts'
import type { SubmittedForm } from '../html/forms/form.ts'

/** Members of a client use `portal`, staff use `staff`. */
export type Surface = 'portal' | 'staff'

export interface VisitDeps {
  readonly acts: InnerApi
  readonly chain: AccessChain
  readonly governance: Governance
  readonly approvers: Approvers
  readonly authorizer: Authorizer
  readonly records: Records
  readonly reads: Pick<ReadLog, 'add'>
  readonly clock: Clock
  /** The setting `ACCESS_SINGLE_OPERATOR`. */
  readonly singleOperator: boolean
  /** Undefined if passkeys are not possible. */
  readonly partyOf: (request: HttpRequest) => RelyingParty | undefined
  /** The public address of this service. */
  readonly addressFor: (request: HttpRequest) => string
}

export interface VisitFacts {
  readonly surface: Surface
  readonly request: HttpRequest
  readonly requestId: string
  readonly caller: PersonCaller
  readonly params: Readonly<Record<string, string>>
  readonly form: SubmittedForm
  /** The token for forms on the page. */
  readonly formToken: string
}

export class Visit {
  readonly facts: VisitFacts
  readonly deps: VisitDeps
  readonly now: number
  #held: readonly PortalAccess[] | undefined

  constructor(facts: VisitFacts, deps: VisitDeps) {
    this.facts = facts
    this.deps = deps
    this.now = deps.clock.now()
  }

  get surface(): Surface {
    return this.facts.surface
  }
  get isStaff(): boolean {
    return this.facts.surface === 'staff'
  }
  get person(): PersonView {
    return this.facts.caller.person
  }
  get form(): SubmittedForm {
    return this.facts.form
  }
  get query(): URLSearchParams {
    return this.facts.request.query
  }

  /** For example `at('/needs')` is `/portal/needs` or `/staff/needs`. */
  at(path: string): string {
    return `/${this.surface}${path}`
  }

  /** A parameter of the page's path. */
  param(name: string): string {
    return this.facts.params[name] ?? ''
  }

  /** The last part of the path, for example `revoke` of `/portal/access/{id}/revoke`. */
  get verb(): string {
    return this.facts.request.path.split('/').at(-1) ?? ''
  }

  asked(name: string): string | undefined {
    return this.query.get(name) || undefined
  }

  /** The member's client; undefined for staff, who serve all clients. */
  get client(): ClientView | undefined {
    const tenant = callerTenantOf(this.facts.caller)
    return tenant === undefined ? undefined : this.deps.chain.get('client', tenant)
  }

  get zone(): string {
    return this.client?.timezone ?? 'UTC'
  }

  /** Newest first; limited to the person's client or, for staff, to `client` if given. */
  list<K extends AccessKind>(kind: K, client?: string): readonly AccessViews[K][] {
    const own = callerTenantOf(this.facts.caller)
    return this.deps.chain.list(kind, own ?? client).reverse()
  }

  /** Newest first; the grants of a person that the signed-in one may see. */
  grantsFor(personId: string): readonly GrantView[] {
    const own = callerTenantOf(this.facts.caller)
    return this.deps.chain
      .grantsFor(personId)
      .filter(({ tenant }) => own === undefined || tenant === own)
      .reverse()
  }

  /** Undefined if unknown here or another client's. */
  find<K extends AccessKind>(kind: K, id: string): AccessViews[K] | undefined {
    const own = callerTenantOf(this.facts.caller)
    const view = this.deps.chain.get(kind, id)
    return view && (own === undefined || view.tenant === own) ? view : undefined
  }

  /** The portal grants with which this person may do `action` in an area. */
  held(area: PermittedArea, action: AreaAction): readonly PortalAccess[] {
    this.#held ??= this.deps.authorizer.inPortal(this.facts.caller)
    return this.#held.filter(({ access }) =>
      access.permissions.some((one) => one.area === area && one.actions.includes(action)),
    )
  }

  /** Throws `not_found` if the person may not see the client. */
  clientOf(id: string | undefined): ClientId {
    const client = this.find('client', id ?? '')
    if (!client || !isAccessId('client', client.id)) throw unknownEntity('client')
    return client.id
  }

  /** Whether the person may decide on what these people have started. */
  isIndependentOf(ids: readonly string[]): boolean {
    const known = knownPeople(this.deps.chain, this.now)
    const { id: own } = this.person
    return this.deps.singleOperator || ids.every((id) => areIndependent(own, id, known))
  }

  may(route: string): boolean {
    return this.deps.acts.isFor(this.facts.caller, route)
  }

  /** Whether passkeys are possible at the address of this request. */
  get hasPasskeys(): boolean {
    return this.deps.partyOf(this.facts.request) !== undefined
  }

  do(route: string, act?: InnerCall): Promise<void> {
    return this.deps.acts.do(this.facts, route, act)
  }
}
