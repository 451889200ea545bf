// Goal: a request needs exactly the approvals that the table of rules lists, for each permission
// and for several together.
import t from 'tap'
import { accessPolicy } from '../../../../../actors/access/request/policy.ts'
import type { PersonView } from '../../../../../proto/access/people/person.ts'
import { dayMs } from '../../../../../proto/units.ts'
import type { RequestTerms } from '../../../../../proto/access/grants/request.ts'
import { accessIdOf, client, subjectId, termsAt } from '../../../../helpers/access/actors/story.ts'

const nowMs = Date.UTC(2030, 0, 1)

const person = (tenant: PersonView['tenant']): PersonView => ({
  id: subjectId,
  tenant,
  version: 1,
  createdAtMs: 0,
  createdBy: 'x',
  updatedAtMs: 0,
  updatedBy: 'x',
  email: 'a@b.test',
  name: 'A',
  kind: tenant === 'platform' ? 'staff' : 'member',
  roles: [],
  status: 'active',
  hasTotp: false,
  passkeys: [],
  savedViews: [],
  sessions: [],
})
const staff = person('platform')
const member = person(client)
const outsider = person(accessIdOf('client', 2))

const tasks = [{ area: 'tasks', actions: ['read'] }] as const
const contacts = [{ area: 'contacts', actions: ['read'] }] as const

interface Case {
  readonly of: string
  readonly terms: Partial<RequestTerms>
  readonly person?: PersonView
  readonly rules: readonly string[]
  readonly staff: number
  readonly owners?: number
}

const cases: readonly Case[] = [
  { of: 'reading what is not personal', terms: { permissions: tasks }, rules: ['R1'], staff: 1 },
  {
    of: 'personal data for staff',
    terms: { permissions: contacts },
    person: staff,
    rules: ['R1', 'R2'],
    staff: 1,
    owners: 1,
  },
  {
    of: 'personal data for a member of the client',
    terms: { permissions: contacts },
    person: member,
    rules: ['R1'],
    staff: 1,
  },
  {
    of: 'personal data for a member of another client',
    terms: { permissions: contacts },
    person: outsider,
    rules: ['R1', 'R2'],
    staff: 1,
    owners: 1,
  },
  {
    of: 'personal data for an integration',
    terms: { permissions: contacts, subject: { kind: 'integration', id: 'crm' } },
    rules: ['R1', 'R2'],
    staff: 1,
    owners: 1,
  },
  ...(
    [
      ['tasks', 'write'],
      ['tasks', 'delete'],
      ['reports', 'export'],
    ] as const
  ).map(([area, action]) => ({
    of: `${action} of what is not personal`,
    terms: { permissions: [{ area, actions: ['read', action] }] as const },
    rules: ['R1', 'R3'],
    staff: 2,
  })),
  {
    of: 'a job that may be run',
    terms: { permissions: [{ area: 'seo-audits', actions: ['run'] }] },
    rules: ['R1', 'R3'],
    staff: 2,
  },
  {
    of: 'writing personal data, where the owner is the second person',
    terms: { permissions: [{ area: 'contacts', actions: ['write'] }] },
    person: staff,
    rules: ['R1', 'R2', 'R3'],
    staff: 1,
    owners: 1,
  },
  {
    of: '30 days',
    terms: { permissions: tasks, endsAtMs: nowMs + 30 * dayMs },
    rules: ['R1'],
    staff: 1,
  },
  {
    of: 'more than 30 days',
    terms: { permissions: tasks, endsAtMs: nowMs + 30 * dayMs + 1 },
    rules: ['R1', 'R4'],
    staff: 2,
  },
  {
    of: 'webhooks',
    terms: { permissions: tasks, path: 'webhooks' },
    rules: ['R1', 'R5'],
    staff: 1,
    owners: 1,
  },
  {
    of: 'custom access',
    terms: { permissions: tasks, path: 'custom' },
    rules: ['R1', 'R6'],
    staff: 2,
  },
  {
    of: 'a technical area',
    terms: { permissions: [{ area: 'domains', actions: ['read'] }] },
    rules: ['R1', 'R8'],
    staff: 1,
  },
  {
    of: 'an emergency, whatever else it is',
    terms: { permissions: [{ area: 'contacts', actions: ['write'] }], emergency: true },
    rules: ['R1', 'R7'],
    staff: 1,
  },
]

for (const { of, terms, person: who, rules, staff: count, owners } of cases) {
  t.test(`who approves ${of}`, async (t) => {
    const facts = { terms: termsAt(nowMs, terms), client, startsAtMs: nowMs }
    t.strictSame(accessPolicy({ ...facts, ...(who && { person: who }) }), {
      rules,
      slots: [
        { role: 'staff_reviewer', count },
        ...(owners ? [{ role: 'client_owner', count: owners }] : []),
      ],
    })
  })
}
