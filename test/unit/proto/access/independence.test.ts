// Goal: people who could act for each other are not independent, directly or by way of others, for
// as long as the limit says; those who have nothing to do with each other are.
import t from 'tap'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import { areIndependent } from '../../../../proto/access/people/independence.ts'
import type { Voucher } from '../../../../proto/access/people/person.ts'

const nowMs = Date.UTC(2030, 0, 1)
type By = Partial<Voucher> & { readonly by: string }
const by = (given: By): Voucher => ({ what: 'invitation', atMs: nowMs, ...given })

/** Symmetric, whatever the vouchers are. */
function independent(vouchers: Readonly<Record<string, readonly By[]>>) {
  const personOf = (id: string) => ({ vouchers: (vouchers[id] ?? []).map(by) })
  return (one: string, other: string) => {
    const found = areIndependent(one, other, { personOf, nowMs })
    if (areIndependent(other, one, { personOf, nowMs }) !== found) throw new Error('not symmetric')
    return found
  }
}

t.test('people are not independent of themselves; strangers are', async (t) => {
  const of = independent({})
  t.equal(of('ann', 'ann'), false)
  t.equal(of('ann', 'ben'), true)
})

t.test('who lets someone in is not independent of them, confirmed or not', async (t) => {
  for (const what of ['invitation', 'reset', 'roles'] as const) {
    for (const more of [{}, { confirmedBy: 'cleo' }]) {
      const of = independent({ ben: [{ by: 'ann', what, ...more }] })
      t.equal(of('ann', 'ben'), false, what)
      t.equal(of('cleo', 'ben'), true, 'of the one who confirmed it they are')
    }
  }
})

t.test('nor are those whom one person let in, unless another has confirmed one', async (t) => {
  const invited = { dan: [{ by: 'ann' }] }
  t.equal(independent({ ...invited, ben: [{ by: 'ann' }] })('ben', 'dan'), false)
  const confirmed = { ...invited, ben: [{ by: 'ann', confirmedBy: 'cleo' }] }
  t.equal(independent(confirmed)('ben', 'dan'), true)
})

t.test('nor by way of others, also in a circle', async (t) => {
  const chain = { ben: [{ by: 'ann' }], cleo: [{ by: 'ben' }], dan: [{ by: 'ann' }] }
  t.equal(independent(chain)('ann', 'cleo'), false)
  t.equal(independent(chain)('dan', 'cleo'), false)
  const circle = independent({ ann: [{ by: 'ben', what: 'reset' }], ben: [{ by: 'ann' }] })
  t.equal(circle('ann', 'ben'), false)
  t.equal(circle('ann', 'cleo'), true)
})

t.test('it ends after thirty days, each on its own', async (t) => {
  const old = nowMs - limits.vouchedMs
  t.equal(limits.vouchedMs, 30 * 86_400_000)
  t.equal(independent({ ben: [{ by: 'ann', atMs: old }] })('ann', 'ben'), true)
  t.equal(independent({ ben: [{ by: 'ann', atMs: old + 1 }] })('ann', 'ben'), false)
  const again = {
    ben: [
      { by: 'ann', atMs: old },
      { by: 'ann', what: 'reset' as const },
    ],
  }
  t.equal(independent(again)('ann', 'ben'), false)
})
