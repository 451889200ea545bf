/** Removing staff, which takes two people: one proposes it, and another confirms it. */
import { dataOf, type Ask } from './asking.ts'
import type { Person } from './people.ts'

type Signed = Pick<Person, 'token'>

export async function removeStaff(
  ask: Ask,
  { id }: Pick<Person, 'id'>,
  [first, second]: readonly [Signed, Signed],
): Promise<void> {
  const body = { reason: 'because the test removes them' }
  const at = `/v1/staff/${id}`
  dataOf(await ask('POST', `${at}/remove`, { token: first.token, seen: '*', body }))
  dataOf(await ask('POST', `${at}/confirm-removal`, { token: second.token, seen: '*' }))
}
