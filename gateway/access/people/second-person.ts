/**
 * Which rights wait for a second person, and who that person may be: independent of those who asked
 * for the rights, so that no admin can be both.
 */
import { hasRole, type AccessRole } from '../../../proto/access/author.ts'
import { platformTenant } from '../../../proto/access/ids.ts'
import { areIndependent, wasReset, type Known } from '../../../proto/access/people/independence.ts'
import type { PersonView } from '../../../proto/access/people/person.ts'
import {
  askersOf,
  decidingRoles,
  isOnlyTaking,
  rolesGiven,
} from '../../../proto/access/people/rights.ts'
import { ServiceError } from '../../../proto/errors.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import type { AccessCaller } from '../../routing/auth/access-caller.ts'
import type { AccessChain } from '../gate/chain.ts'
import type { Governance } from '../governance/governance.ts'
import { counts } from './last-ones.ts'

export const knownPeople = (chain: AccessChain, nowMs: number): Known => ({
  personOf: (id) => chain.get('person', id),
  nowMs,
})

/** The caller is not independent of another person; the text says of whom and for how long. */
const notIndependentError = (message: string): ServiceError =>
  new ServiceError('self_review', message)

interface Deps {
  readonly governance: Governance
  readonly chain: AccessChain
  readonly clock: Clock
}

interface Waits {
  readonly waits?: true
}
const waits: Waits = { waits: true }
const atOnce: Waits = {}

export class SecondPerson {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Of an invitation, a new one, or a reset, with the roles that it lets someone use. */
  forEntry(caller: AccessCaller, roles: readonly AccessRole[], id?: string): Waits {
    return decidingRoles(roles).length > 0 && this.#hasAnother(caller, id) ? waits : atOnce
  }

  /**
   * Roles that decide are not taken from staff by one person either: an admin who took them from all
   * others would be alone. The person can agree to it, so that this never gets stuck.
   */
  forRoles(caller: AccessCaller, person: PersonView, roles: readonly AccessRole[]): Waits {
    const isTaken = rolesGiven(roles, person.roles).length > 0
    if (this.#isTwoPersonRule(caller) && isTaken && person.kind === 'staff' && counts(person)) {
      return waits
    }
    const isGiven = rolesGiven(person.roles, roles).length > 0
    return isGiven && this.#hasAnother(caller, person.id) ? waits : atOnce
  }

  /** Throws unless the caller may confirm what waits for the person. */
  assertMayConfirm(person: PersonView, caller: AccessCaller): void {
    const by = caller.kind === 'person' ? caller.person : undefined
    const known = knownPeople(this.#deps.chain, this.#deps.clock.now())
    if (!by) throw new ServiceError('forbidden', 'Only people can confirm rights.')
    if (!isConfirmer(person, by, known.nowMs))
      throw new ServiceError('forbidden', whoConfirms(person))
    if (this.#deps.governance.authorOf(caller).singleOperator) return
    assertIndependent(by, askersOf(person), known)
  }

  /** Throws unless the caller is independent of these people. */
  assertIndependent(caller: AccessCaller, ids: readonly string[]): void {
    const { chain, clock, governance } = this.#deps
    if (caller.kind !== 'person' || governance.authorOf(caller).singleOperator) return
    assertIndependent(caller.person, ids, knownPeople(chain, clock.now()))
  }

  #isTwoPersonRule(caller: AccessCaller): boolean {
    const { kind, singleOperator } = this.#deps.governance.authorOf(caller)
    return kind === 'staff' && !singleOperator
  }

  /** Whether there is an admin who could confirm what the caller asks for. */
  #hasAnother(caller: AccessCaller, personId: string | undefined): boolean {
    if (!this.#isTwoPersonRule(caller) || caller.kind !== 'person') return false
    const { chain, clock } = this.#deps
    const known = knownPeople(chain, clock.now())
    return chain
      .list('person', platformTenant)
      .some(
        (one) =>
          counts(one) &&
          hasRole(one, 'admin') &&
          one.id !== personId &&
          areIndependent(one.id, caller.person.id, known),
      )
  }
}

function assertIndependent(by: PersonView, ids: readonly string[], known: Known): void {
  if (ids.every((id) => id === by.id || areIndependent(by.id, id, known))) return
  throw notIndependentError(whyDependent)
}

export const whyDependent =
  'You are not independent of another person who takes part in this: for 30 days after an ' +
  'invitation, a reset or a new role, one of you could act for the other. Ask somebody else to ' +
  'decide, or have the operator of the host confirm the person (`troupe access confirm`).'

const isSameClientsOwner = (person: PersonView, by: PersonView): boolean =>
  person.kind === 'member' && by.tenant === person.tenant && hasRole(by, 'owner')

/** By role; whether they are independent is another question. */
function isConfirmer(person: PersonView, by: PersonView, nowMs: number): boolean {
  const isOther = by.id !== person.id
  if (isOnlyTaking(person)) {
    return isOther ? hasRole(by, 'admin', 'reviewer') : !wasReset(person, nowMs)
  }
  return isOther && (hasRole(by, 'admin') || isSameClientsOwner(person, by))
}

export const whoConfirms = (person: PersonView): string => {
  if (isOnlyTaking(person)) return 'Another admin or reviewer, or the person, confirms this.'
  return person.kind === 'member'
    ? 'Another admin, or an owner of the client, confirms this.'
    : 'Another admin confirms this.'
}

/** Whether this person may confirm what waits; for pages that offer it. */
export const mayConfirm = (person: PersonView, by: PersonView, known: Known): boolean =>
  isConfirmer(person, by, known.nowMs) &&
  askersOf(person).every((id) => id !== by.id && areIndependent(by.id, id, known))
