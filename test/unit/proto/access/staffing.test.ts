// Goal: where there are few people, the slots are those that two different people can fill; what a
// rule asks of an owner is never dropped, and nobody decides alone.
import t from 'tap'
import type { FrozenPolicy, SlotRole } from '../../../../proto/access/grants/review.ts'
import { fitSlots, type Staffing } from '../../../../proto/access/grants/staffing.ts'

const slotsOf = (staff: number, owners: number, role: SlotRole = 'staff_reviewer') =>
  [
    { role, count: staff },
    { role: 'client_owner' as const, count: owners },
  ].filter(({ count }) => count > 0)

const staffed = (
  reviewers: readonly string[],
  owners: readonly string[],
  more: Partial<Staffing> = {},
): Staffing => ({
  free: { staff_reviewer: reviewers, change_manager: reviewers, client_owner: owners },
  ...{ owners, dependent: [], ...more },
})

const cases: readonly (readonly [
  string,
  readonly [staff: number, owners: number],
  Staffing,
  readonly [staff: number, owners: number],
])[] = [
  ['all can be filled', [2, 1], staffed(['b', 'c'], ['o']), [2, 1]],
  ['of two, with an owner', [2, 0], staffed(['b'], ['o']), [1, 1]],
  ['the owner is asked anyway', [2, 1], staffed(['b'], ['o']), [1, 1]],
  ['of two, no owner', [2, 0], staffed(['b'], []), [1, 0]],
  ['of two, no owner who must agree', [1, 1], staffed(['b'], []), [1, 1]],
  ['of one, with an owner', [2, 0], staffed([], ['o']), [0, 1]],
  ['of one, with two owners', [2, 0], staffed([], ['o', 'p']), [0, 2]],
  ['of one, without an owner', [1, 0], staffed([], []), [1, 0]],
  ['an owner who is not independent', [2, 0], { ...staffed(['b'], []), owners: ['o'] }, [2, 0]],
  [
    'two reviewers who are not independent of each other',
    [2, 0],
    staffed(['b', 'c'], ['o'], { dependent: [['c', 'b']] }),
    [1, 1],
  ],
  [
    'nobody is left to implement it',
    [2, 0],
    staffed(['b', 'c'], [], { implementers: ['b'] }),
    [1, 0],
  ],
  [
    'the only implementer does not approve',
    [1, 0],
    staffed(['b'], ['o'], { implementers: ['b'] }),
    [0, 1],
  ],
]

for (const [name, [staff, owners], staffing, expected] of cases) {
  t.test(name, async (t) => {
    const required = slotsOf(staff, owners)
    const fitted = fitSlots(required, staffing, ['a'])
    t.strictSame(fitted, slotsOf(...expected))
    const isSame = staff === expected[0] && owners === expected[1]
    t.equal(fitted === required, isSame, 'which says whether it was eased')
  })
}

t.test('parties fill no slot, even if the gateway calls them free', async (t) => {
  const slots: FrozenPolicy['slots'] = slotsOf(1, 0, 'change_manager')
  t.strictSame(fitSlots(slots, staffed(['a'], ['s']), ['a', 's']), slots)
  t.strictSame(fitSlots(slots, staffed(['a'], ['o']), ['a']), slotsOf(0, 1))
})
