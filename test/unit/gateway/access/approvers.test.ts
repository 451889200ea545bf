// Goal: two people are enough only while fewer than four staff are active, or where the setting
// says so; nobody makes the staff fewer by wrong passwords for others.
import t from 'tap'
import { Approvers } from '../../../../gateway/access/people/approvers.ts'
import type { RequestView } from '../../../../proto/access/grants/request.ts'
import type { PersonView } from '../../../../proto/access/people/person.ts'
import { systemClock } from '../../../../runtime/lib/clock.ts'

const person = (id: string, more: Partial<PersonView> = {}) =>
  ({
    ...{ id, name: id, tenant: 'platform', kind: 'staff', status: 'active' },
    ...{ roles: ['reviewer'], ...more },
  }) as PersonView

const owner = person('owner', { tenant: 'cli_a', kind: 'member', roles: ['owner'] })
const request = {
  ...{ tenant: 'cli_a', status: 'pending', requestedBy: { kind: 'staff', id: 'ann' } },
} as unknown as RequestView

function staffingOf(
  staff: readonly PersonView[],
  separation: 'auto' | 'strict' | 'small' = 'auto',
) {
  const people = [...staff, owner]
  const chain = {
    list: (_: string, tenant: string) => people.filter((one) => one.tenant === tenant),
    get: (_: string, id: string) => people.find((one) => one.id === id),
  }
  const deps = { chain, clock: systemClock, separation, singleOperator: false }
  return new Approvers(deps as never).forRequest(request)
}

const three = ['ann', 'ben', 'cleo'].map((id) => person(id))

t.test('by default, fewer than four active staff', async (t) => {
  t.match(staffingOf(three), { free: { staff_reviewer: ['ben', 'cleo'] }, owners: ['owner'] })
  t.equal(staffingOf([...three, person('dora')]), undefined)
  for (const status of ['invited', 'removed'] as const) {
    t.ok(staffingOf([...three, person('dora', { status })]), status)
  }
})

t.test('someone who is locked out by wrong passwords counts', async (t) => {
  const locked = person('dora', { status: 'locked' })
  t.equal(staffingOf([...three, locked]), undefined)
  t.match(staffingOf([...three.slice(0, 2), locked]), { free: { staff_reviewer: ['ben', 'dora'] } })
})

t.test('the setting decides for any number', async (t) => {
  t.equal(staffingOf(three, 'strict'), undefined)
  t.ok(staffingOf([...three, person('dora')], 'small'))
})

t.test('people who are not independent are named, or left out', async (t) => {
  const invited = (by: string) => ({
    vouchers: [{ by, what: 'invitation' as const, atMs: Date.now() }] as never,
  })
  const staff = [person('ann'), person('ben'), person('cleo', invited('ben'))]
  t.match(staffingOf(staff), { dependent: [['ben', 'cleo']] })
  const own = [person('ann'), person('ben', invited('ann'))]
  t.strictSame(staffingOf(own)?.free.staff_reviewer, [])
})
