/**
 * Who must approve a request. Pure. All matching rules apply; for each role, the highest number of
 * required approvals counts. The result is frozen into the request when it is submitted, so a later
 * change of the rules does not relax a pending request.
 */
import { areaRulesOf } from '../../../proto/access/areas/areas.ts'
import type { ClientId } from '../../../proto/access/ids.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import type { PersonView } from '../../../proto/access/people/person.ts'
import type { RequestTerms } from '../../../proto/access/grants/request.ts'
import type { FrozenPolicy, SlotRole } from '../../../proto/access/grants/review.ts'

export interface PolicyFacts {
  readonly terms: RequestTerms
  readonly client: ClientId
  /** When the access would begin: at the submission unless the terms say otherwise. */
  readonly startsAtMs: number
  /** The subject, if it is a person. */
  readonly person?: PersonView
}

export type PolicyResult = Pick<FrozenPolicy, 'rules' | 'slots'>
export type AccessPolicy = (facts: PolicyFacts) => PolicyResult

interface Rule {
  readonly name: string
  readonly matches: (facts: PolicyFacts) => boolean
  readonly slots?: Partial<Readonly<Record<SlotRole, number>>>
  /** Number of different people in total, in any role. */
  readonly people?: number
}

const one = { staff_reviewer: 1 } as const
const withOwner = { client_owner: 1 } as const
const reading: readonly string[] = ['read']

const areasOf = ({ terms }: PolicyFacts) => terms.permissions.map(({ area }) => areaRulesOf(area))
const isOfClient = ({ person, client }: PolicyFacts) => person?.tenant === client

const rules: readonly Rule[] = [
  { name: 'R1', matches: () => true, slots: one },
  {
    name: 'R2',
    matches: (facts) =>
      !isOfClient(facts) && areasOf(facts).some(({ sensitivity }) => sensitivity === 'personal'),
    slots: withOwner,
  },
  {
    name: 'R3',
    matches: ({ terms }) =>
      terms.permissions.some(({ actions }) => actions.some((action) => !reading.includes(action))),
    people: 2,
  },
  {
    name: 'R4',
    matches: ({ terms, startsAtMs }) => terms.endsAtMs - startsAtMs > limits.secondReviewerAfterMs,
    people: 2,
  },
  // The terms do not limit how much of a record is sent, so all of it is assumed.
  { name: 'R5', matches: ({ terms }) => terms.path === 'webhooks', slots: withOwner },
  { name: 'R6', matches: ({ terms }) => terms.path === 'custom', people: 2 },
  {
    name: 'R8',
    matches: (facts) => areasOf(facts).some(({ sensitivity }) => sensitivity === 'technical'),
    slots: one,
  },
]

/** An emergency cannot wait for a second person; it is reviewed afterwards instead. */
const emergency: PolicyResult = {
  rules: ['R1', 'R7'],
  slots: [{ role: 'staff_reviewer', count: 1 }],
}

export const accessPolicy: AccessPolicy = (facts) => {
  if (facts.terms.emergency) return emergency
  const matching = rules.filter(({ matches }) => matches(facts))
  const most = (role: SlotRole) => Math.max(0, ...matching.map(({ slots }) => slots?.[role] ?? 0))
  const people = Math.max(0, ...matching.map((rule) => rule.people ?? 0))
  const owners = most('client_owner')
  // Additional reviewers are staff, because a client may have only one owner.
  const staff = Math.max(most('staff_reviewer'), people - owners)
  const slots: FrozenPolicy['slots'] = [
    { role: 'staff_reviewer', count: staff },
    { role: 'client_owner', count: owners },
  ]
  return {
    rules: matching.map(({ name }) => name),
    slots: slots.filter(({ count }) => count > 0),
  }
}
