/** Two people remove staff who have accepted their invitation. Pure. */
import type { Author } from '../../../proto/access/author.ts'
import { wasReset } from '../../../proto/access/people/independence.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { admitSecond } from '../common/admit.ts'
import type { PersonContext } from './context.ts'
import type { PersonSnapshot } from './view.ts'

export const whyNotOwn =
  'Your sign-in was reset in the last 30 days, so that another admin or reviewer must confirm this.'

export function admitProposal({ kind }: PersonContext): void {
  if (kind === 'staff') return
  throw new ServiceError('conflict', 'A member is removed at once; use `remove`.')
}

/**
 * Members, and people who have not accepted their invitation, are removed by one person. So is
 * someone who leaves, and the operator of the host does it alone, for an agency that has no second
 * person left.
 */
export function admitRemoval({ context, value }: PersonSnapshot, by: Author, at: number): void {
  const { id, kind, removal } = context
  const isOwn = by.id === id && !wasReset(context, at)
  const takesOne = kind === 'member' || value === 'invited' || isOwn || by.kind === 'system'
  if (takesOne || by.singleOperator) return
  if (by.id === id) throw new ServiceError('self_review', whyNotOwn)
  if (!removal) {
    const message =
      'The removal of staff takes two people: propose it, then another admin or reviewer, or the ' +
      'person, confirms it.'
    throw new ServiceError('conflict', message)
  }
  admitSecond(by, [removal.by.id], 'Confirming a removal that you proposed')
}
