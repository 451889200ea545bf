/** Two people remove staff who have accepted their invitation. Pure. */
import type { Author } from '../../../proto/access/author.ts'
import { removalTakesTwo } from '../../../proto/access/people/removal.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { admitSecond } from '../common/admit.ts'
import type { PersonContext } from './context.ts'
import type { PersonSnapshot } from './view.ts'

const whyNotOwn =
  'Your sign-in was reset in the last 30 days, so that another admin or reviewer must confirm this.'

export function admitProposal({ kind }: PersonContext): void {
  if (kind === 'staff') return
  throw new ServiceError('conflict', 'A member is removed at once; use `remove`.')
}

/** Throws unless one person is enough, or this author is the second one. */
export function admitRemoval({ context, value }: PersonSnapshot, by: Author, at: number): void {
  const { id, removal } = context
  if (!removalTakesTwo({ ...context, status: value }, by, at)) return
  if (by.id === id) throw new ServiceError('self_review', whyNotOwn)
  if (!removal) {
    const message =
      'The removal of staff takes two people: propose it, then another admin or reviewer, or the ' +
      'person, confirms it.'
    throw new ServiceError('conflict', message)
  }
  admitSecond(by, [removal.by.id], 'Confirming a removal that you proposed')
}
