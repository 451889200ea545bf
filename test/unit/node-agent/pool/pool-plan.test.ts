/** Goal: each rule of the pool holds. Method: give the decider a view and read its plan. */
import t from 'tap'
import type { BrowserId } from '../../../../proto/ids.ts'
import { planPool, type PoolView } from '../../../../node-agent/pool/pool-plan.ts'

interface Named {
  readonly name: string
  readonly shapeKey: string
}

const waiter = (name: string, shapeKey = 'plain'): Named => ({ name, shapeKey })
const warm = (n: number, shapeKey = 'plain') => ({ id: `brw_${n}` as BrowserId, shapeKey })

function plan(view: Partial<PoolView<Named>>) {
  const { hand, bootFor, refill } = planPool<Named>({
    line: [],
    warm: [],
    booting: [],
    claimed: 0,
    sessionsMax: 4,
    bootsMax: 2,
    kept: [
      { shapeKey: 'plain', count: 2 },
      { shapeKey: 'desktop', count: 0 },
    ],
    calm: true,
    ...view,
  })
  return {
    hand: hand.map(({ waiter: { name }, id }) => `${name}:${id}`),
    bootFor: bootFor.map(({ name }) => name),
    refill,
  }
}

t.test('hands out warm browsers in the order of the queue', async (t) => {
  const line = [waiter('a'), waiter('b'), waiter('c')]
  t.match(plan({ line, warm: [warm(1), warm(2)] }), {
    hand: ['a:brw_1', 'b:brw_2'],
    bootFor: ['c'],
    refill: undefined,
  })
})

t.test('another shape waits for its own browser and blocks no one', async (t) => {
  const line = [waiter('odd', 'pdfViewer=false'), waiter('b')]
  t.match(plan({ line, warm: [warm(1)] }), { hand: ['b:brw_1'], bootFor: ['odd'] })
})

t.test('a slot promised to those in front is not given to those behind', async (t) => {
  const line = [waiter('odd', 'pdfViewer=false'), waiter('b')]
  const { hand, bootFor } = plan({ line, warm: [warm(1)], claimed: 3 })
  t.same(hand, [])
  t.same(bootFor, ['odd'])
})

t.test('a booting browser already counts for the first who wants its shape', async (t) => {
  const line = [waiter('a'), waiter('b')]
  t.same(plan({ line, booting: ['plain'] }).bootFor, ['b'])
})

t.test('boots no more at once than the limit', async (t) => {
  const line = [waiter('a'), waiter('b'), waiter('c')]
  t.same(plan({ line }).bootFor, ['a', 'b'])
})

t.test('serves nobody beyond the limit of sessions', async (t) => {
  t.same(plan({ line: [waiter('a')], warm: [warm(1)], claimed: 4 }).hand, [])
})

t.test('refills one at a time, when quiet, and never beside a claim', async (t) => {
  t.equal(plan({}).refill, 'plain')
  t.equal(plan({ warm: [warm(1), warm(2)] }).refill, undefined, 'it is full')
  t.equal(plan({ booting: ['plain'] }).refill, undefined, 'one is booting')
  t.equal(plan({ calm: false }).refill, undefined, 'a session was handed out just now')
  t.equal(plan({ line: [waiter('a')], warm: [warm(1)] }).refill, undefined, 'one is handed out now')
})

t.test('keeps several shapes, and fills the first of them first', async (t) => {
  const kept = [
    { shapeKey: 'plain', count: 1 },
    { shapeKey: 'desktop', count: 2 },
  ]
  const desktop = warm(2, 'desktop')
  t.equal(plan({ kept, warm: [desktop] }).refill, 'plain')
  t.equal(plan({ kept, warm: [warm(1), desktop] }).refill, 'desktop')
  t.equal(plan({ kept, warm: [warm(1), desktop, warm(3, 'desktop')] }).refill, undefined)
})
