/**
 * Keeps the people without whom decisions would no longer be possible: an owner of each client, an
 * admin, and two reviewers, because a reviewer does not review what they requested.
 */
import { randomUUID } from 'node:crypto'
import { hasRole, type AccessRole } from '../../../proto/access/author.ts'
import { personActor, type PersonView } from '../../../proto/access/people/person.ts'
import { ServiceError } from '../../../proto/errors.ts'
import type { UniqueNames } from '../../../runtime/access/people/unique-names.ts'
import type { AccessCaller } from '../../routing/auth/access-caller.ts'
import type { AccessChain } from '../gate/chain.ts'
import type { Governance } from '../governance/governance.ts'

interface KeptRole {
  readonly role: AccessRole
  readonly least: number
  /** How many a single operator needs. */
  readonly alone: number
  /** What to do first. */
  readonly first: string
}

const signedIn = 'and wait until they have accepted their invitation'
const kept: readonly KeptRole[] = [
  {
    ...{ role: 'owner', least: 1, alone: 1 },
    first: `An owner decides for the client: invite another owner first, or give a member that role, ${signedIn}.`,
  },
  {
    ...{ role: 'admin', least: 1, alone: 1 },
    first: `An admin invites people: invite another admin first, ${signedIn}.`,
  },
  {
    ...{ role: 'reviewer', least: 2, alone: 1 },
    first: `There must be two reviewers, because none reviews what they requested: invite another reviewer first, ${signedIn}.`,
  },
]

/** An invitation may never be accepted. */
export const counts = ({ status }: PersonView): boolean =>
  status === 'active' || status === 'locked'

export interface Leaving {
  readonly person: PersonView
  /** The roles that they keep; none if they are removed. */
  readonly keeps: readonly AccessRole[]
  readonly singleOperator: boolean
}

/** What must be done first if these people would then be too few; `people` includes the person. */
export function whyNeeded(
  people: readonly PersonView[],
  { person, keeps, singleOperator }: Leaving,
): string | undefined {
  const missed = rolesLost({ person, keeps }).find(({ role, least, alone }) => {
    const holders = people.filter((one) => counts(one) && hasRole(one, role))
    const others = holders.filter(({ id }) => id !== person.id)
    return others.length < (singleOperator ? alone : least)
  })
  return missed && `${person.name} is needed as ${missed.role}. ${missed.first}`
}

const rolesLost = ({ person, keeps }: Pick<Leaving, 'person' | 'keeps'>): readonly KeptRole[] =>
  counts(person) ? kept.filter(({ role }) => hasRole(person, role) && !keeps.includes(role)) : []

interface Deps {
  readonly governance: Governance
  readonly chain: AccessChain
  readonly names: UniqueNames
}

export class LastOnes {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /**
   * Runs `work`, after which the person has only the roles in `keeps`. Throws `conflict` if too few
   * people would be left. One at a time for each client, on all gateways: of two owners, each
   * could otherwise be removed because the other remained.
   */
  async keep<T>(
    caller: AccessCaller,
    { person, keeps }: Pick<Leaving, 'person' | 'keeps'>,
    work: () => Promise<T>,
  ): Promise<T> {
    const { chain, governance } = this.#deps
    const { tenant } = person
    const lost = rolesLost({ person, keeps })
    if (lost.length === 0 || chain.get('client', tenant)?.status === 'closed') return work()
    return this.#alone(tenant, async () => {
      const known = chain.list('person', tenant)
      const holders = known.filter((one) => lost.some(({ role }) => hasRole(one, role)))
      // The actors know what a gateway's copy may not have heard of yet.
      const people = await Promise.all(
        holders.map(({ id }) => governance.get(personActor, caller, id)),
      )
      const singleOperator = governance.authorOf(caller).singleOperator === true
      const why = whyNeeded(people, { person, keeps, singleOperator })
      if (why !== undefined) throw new ServiceError('conflict', why)
      return work()
    })
  }

  async #alone<T>(tenant: string, work: () => Promise<T>): Promise<T> {
    const { names } = this.#deps
    const holder = randomUUID()
    try {
      await names.take('last-ones', tenant, holder, async () => false)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.type !== 'duplicate') throw error
      const message = 'The roles of another person are being changed at the moment; try again.'
      throw new ServiceError('conflict', message)
    }
    try {
      return await work()
    } finally {
      await names.release('last-ones', tenant, holder)
    }
  }
}
