/**
 * Who can approve and implement a request or a change, by their role and as people who are
 * independent of those who take part. Routes and pages tell it, and submissions carry it to the
 * actors where two people are enough.
 */
import { hasRole } from '../../../proto/access/author.ts'
import {
  barredImplementers,
  implementersOf,
  partiesOf,
  participantsOf,
} from '../../../proto/access/changes/change-parties.ts'
import type { ChangeView } from '../../../proto/access/changes/change.ts'
import { requestPartiesOf, type RequestView } from '../../../proto/access/grants/request.ts'
import {
  decidersOf,
  openSlots,
  slotEligibility,
  validReviews,
  type ReviewRound,
} from '../../../proto/access/grants/review-slots.ts'
import { slotRoles, type SlotRole } from '../../../proto/access/grants/review.ts'
import type { Staffing } from '../../../proto/access/grants/staffing.ts'
import { platformTenant } from '../../../proto/access/ids.ts'
import { areIndependent, type Known } from '../../../proto/access/people/independence.ts'
import type { PersonView } from '../../../proto/access/people/person.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import type { AccessChain } from '../gate/chain.ts'
import { counts } from './last-ones.ts'
import { knownPeople } from './second-person.ts'

export interface SlotHolders {
  readonly role: SlotRole
  /** Approvals still missing in this role. */
  readonly count: number
  readonly can: readonly PersonView[]
  /** People with the role who cannot, and why. */
  readonly cannot: readonly { readonly person: PersonView; readonly why: string }[]
  /** What to do if too few can. */
  readonly advice?: string
}

export interface Implementers {
  readonly can: readonly PersonView[]
  readonly advice?: string
}

/** Who fills slots of a role, as long as they take no other part. */
export interface RoleHolders {
  readonly role: SlotRole
  readonly people: readonly PersonView[]
}

type Round = ReviewRound & Pick<ChangeView, 'tenant'>

interface Deps {
  readonly chain: AccessChain
  readonly clock: Clock
  readonly separation: 'auto' | 'strict' | 'small'
  readonly singleOperator: boolean
}

/** With fewer active staff, two people are enough unless the setting says otherwise. */
const strictFrom = 4

const mayImplement = (one: PersonView) =>
  one.kind === 'staff' && hasRole(one, 'operator', 'change_manager')

export class Approvers {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Everyone who decides for a client, by role; in a single case some of them may take part. */
  ofClient(tenant: string): readonly RoleHolders[] {
    return slotRoles.map((role) => ({ role, people: this.#fitting(tenant, role) }))
  }

  /** Of a pending request; empty for others. */
  ofRequest(request: RequestView): readonly SlotHolders[] {
    if (request.status !== 'pending') return []
    return this.#holders(request, requestPartiesOf(request), decidersOf(request))
  }

  ofChange(change: ChangeView): readonly SlotHolders[] {
    if (change.status !== 'proposed' && change.status !== 'reviewed') return []
    return this.#holders(change, partiesOf(change), participantsOf(change))
  }

  /** Who may start a proposed or approved change, as far as its approvals are given. */
  implementersOf(change: ChangeView): Implementers | undefined {
    if (!['proposed', 'reviewed', 'approved', 'scheduled'].includes(change.status)) return undefined
    const named = change.terms.implementerId
    const barred = this.#deps.singleOperator ? [] : barredImplementers(change)
    const can = this.#people(change.tenant)
      .filter(mayImplement)
      .filter(({ id }) => !barred.includes(id) && (named === undefined || named === id))
    return can.length > 0 ? { can } : { can, advice: noImplementer }
  }

  /** For a submission; undefined if separation is strict. */
  forRequest(request: RequestView): Staffing | undefined {
    return this.#isSmall() ? this.#staffing(request.tenant, request.requestedBy.id) : undefined
  }

  forChange(change: ChangeView): Staffing | undefined {
    if (!this.#isSmall()) return undefined
    const named = implementersOf(change)
    const implementers = this.#people(change.tenant)
      .filter(mayImplement)
      .map(({ id }) => id)
      .filter((id) => named.length === 0 || named.includes(id))
    return { ...this.#staffing(change.tenant, change.proposedBy.id), implementers }
  }

  /** Someone locked out by wrong passwords counts: otherwise anyone could make the staff fewer. */
  #isSmall(): boolean {
    const { separation, chain } = this.#deps
    if (separation !== 'auto') return separation === 'small'
    return chain.list('person', platformTenant).filter(counts).length < strictFrom
  }

  #staffing(tenant: string, by: string): Staffing {
    const known = this.#known()
    const fits = (role: SlotRole) => this.#fitting(tenant, role)
    const freeFor = (role: SlotRole) =>
      fits(role)
        .map(({ id }) => id)
        .filter((id) => id !== by && areIndependent(id, by, known))
    const free = Object.fromEntries(slotRoles.map((role) => [role, freeFor(role)]))
    const ids = [...new Set(Object.values(free).flat())]
    const dependent = ids.flatMap((one, i) =>
      ids.slice(i + 1).flatMap((other) => {
        return areIndependent(one, other, known) ? [] : [[one, other] as const]
      }),
    )
    return { free, owners: fits('client_owner').map(({ id }) => id), dependent }
  }

  #holders(
    round: Round,
    parties: readonly string[],
    deciders: readonly string[],
  ): readonly SlotHolders[] {
    const open = openSlots(round)
    return [...new Set(open)].map((role) => {
      const count = open.filter((one) => one === role).length
      const holders = this.#fitting(round.tenant, role)
      const whys = holders.map((person) => ({
        person,
        why: this.#whyNot(person, round, parties, deciders),
      }))
      const can = whys.filter(({ why }) => why === undefined).map(({ person }) => person)
      const cannot = whys.flatMap(({ person, why }) => (why === undefined ? [] : [{ person, why }]))
      return { role, count, can, cannot, ...(can.length < count && { advice: advice[role] }) }
    })
  }

  #whyNot(
    { id }: PersonView,
    round: Round,
    parties: readonly string[],
    deciders: readonly string[],
  ): string | undefined {
    if (this.#deps.singleOperator) return undefined
    if (parties.includes(id)) return 'takes part in it'
    if (validReviews(round).some(({ reviewerId }) => reviewerId === id)) return 'has reviewed it'
    const known = this.#known()
    if (deciders.every((one) => one === id || areIndependent(id, one, known))) return undefined
    return 'is not independent of somebody who takes part: one let the other in less than 30 days ago'
  }

  #fitting(tenant: string, role: SlotRole): readonly PersonView[] {
    return this.#people(tenant).filter((one) => slotEligibility[role](one))
  }

  #people(tenant: string): readonly PersonView[] {
    const { chain } = this.#deps
    return [...chain.list('person', platformTenant), ...chain.list('person', tenant)].filter(counts)
  }

  #known = (): Known => knownPeople(this.#deps.chain, this.#deps.clock.now())
}

const invite = (what: string) =>
  `Too few people can approve this as ${what}. Invite another one; somebody whom you invite yourself counts as ` +
  'independent of you after 30 days, or when the operator of the host has confirmed them ' +
  '(`troupe access confirm PERSON --on-host`). Then submit it again. Or have somebody else submit it.'

const advice: Readonly<Record<SlotRole, string>> = {
  staff_reviewer: invite('a staff reviewer'),
  change_manager: invite('a change manager'),
  client_owner: invite('an owner of the client'),
}

const noImplementer =
  'Nobody can implement this change: its approvers do not. Cancel it and have an operator or a ' +
  'change manager propose it, or give another person that role.'
