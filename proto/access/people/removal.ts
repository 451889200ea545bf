/** Who removes people. Actors decide by it, and routes and pages derive what they offer from it. */
import type { Author } from '../author.ts'
import { wasReset } from './independence.ts'
import type { PersonView } from './person.ts'

/**
 * Whether `by` only proposes to remove the person, and another one confirms it. Members, and people
 * who have not accepted their invitation, are removed by one person. So is someone who leaves, and
 * the operator of the host does it alone, for an agency that has no second person left.
 */
export function removalTakesTwo(
  person: Pick<PersonView, 'id' | 'kind' | 'vouchers'> & { readonly status: string },
  by: Pick<Author, 'id' | 'singleOperator'> & { readonly kind: string },
  nowMs: number,
): boolean {
  const isOwn = by.id === person.id && !wasReset(person, nowMs)
  const takesOne = person.kind === 'member' || person.status === 'invited' || isOwn
  return !takesOne && by.kind !== 'system' && !by.singleOperator
}
