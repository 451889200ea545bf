/**
 * Who lifts the suspension of a grant, and who adds to it. Actors decide by it, and pages derive
 * their buttons from it.
 */
import { ServiceError } from '../../errors.ts'
import { hasRole, type Author } from '../author.ts'
import type { GrantView } from './grant.ts'

interface Suspended extends Pick<GrantView, 'subject' | 'requestedBy'> {
  readonly suspendedBy?: GrantView['suspendedBy'] | null
}
type Decider = Pick<Author, 'kind' | 'id' | 'roles' | 'singleOperator'>

const isOwner = (by: Decider): boolean => by.kind === 'member' && hasRole(by, 'owner')
const isReviewer = (by: Decider): boolean => by.kind === 'staff' && hasRole(by, 'reviewer')

/** True for the requester and the subject. */
export const isGrantParty = (
  { subject, requestedBy }: Pick<Suspended, 'subject' | 'requestedBy'>,
  { id }: Pick<Author, 'id'>,
): boolean => id === requestedBy.id || (subject.kind === 'person' && id === subject.id)

/**
 * The error for a person who must not resume the grant. Grants that were suspended before this was
 * stored do not say by whom, so that reviewers and owners resume them.
 */
export function resumeRefusal(grant: Suspended, by: Decider): ServiceError | undefined {
  const { suspendedBy } = grant
  if (suspendedBy?.kind === 'member') {
    return isOwner(by) ? undefined : new ServiceError('forbidden', whySuspendedByOwner)
  }
  if (by.singleOperator || suspendedBy?.id === by.id) return undefined
  if (isGrantParty(grant, by)) {
    const message = 'You are a party to this access; another person must decide on it.'
    return new ServiceError('self_review', message)
  }
  if (isReviewer(by) || isOwner(by)) return undefined
  const message =
    'Only the person who suspended this grant, a reviewer or an owner of the client can resume ' +
    'it; ask one of them.'
  return new ServiceError('not_a_reviewer', message)
}

const whySuspendedByOwner =
  'An owner of the client suspended this grant, so only an owner of the client can resume it; ' +
  'ask them.'

/** An owner may add their suspension to one by staff, which staff could lift. */
export const maySuspendToo = ({ suspendedBy }: Suspended, by: Decider): boolean =>
  isOwner(by) && suspendedBy?.kind !== 'member'
