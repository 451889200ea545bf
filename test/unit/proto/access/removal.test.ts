// Goal: actors, routes and pages agree on whose removal takes a second person.
import t from 'tap'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import { removalTakesTwo } from '../../../../proto/access/people/removal.ts'

const nowMs = 100 * limits.vouchedMs
const ada = { id: 'usr_ada', kind: 'staff' } as const
const ben = { id: 'usr_ben', kind: 'staff', status: 'active' } as const
const resetAt = (atMs: number) => ({ vouchers: [{ by: ada.id, what: 'reset', atMs }] }) as const

t.test('of staff by another one', async (t) => {
  t.equal(removalTakesTwo(ben, ada, nowMs), true)
  t.equal(removalTakesTwo({ ...ben, status: 'locked' }, ada, nowMs), true)
})

t.test('not of members, of invited people, by the operator, or by a single one', async (t) => {
  t.equal(removalTakesTwo({ ...ben, kind: 'member' }, ada, nowMs), false)
  t.equal(removalTakesTwo({ ...ben, status: 'invited' }, ada, nowMs), false)
  t.equal(removalTakesTwo(ben, { ...ada, kind: 'system' }, nowMs), false)
  t.equal(removalTakesTwo(ben, { ...ada, singleOperator: true }, nowMs), false)
})

t.test('of someone who leaves only if the sign-in was reset lately', async (t) => {
  t.equal(removalTakesTwo(ben, ben, nowMs), false)
  t.equal(removalTakesTwo({ ...ben, ...resetAt(nowMs - 1) }, ben, nowMs), true)
  t.equal(removalTakesTwo({ ...ben, ...resetAt(nowMs - limits.vouchedMs) }, ben, nowMs), false)
})
