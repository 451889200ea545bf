/** The parties of a grant, who must not decide on it alone. Pure. */
import type { Author } from '../../../proto/access/author.ts'
import type { GrantInput } from '../../../proto/access/grants/grant.ts'

type Grant = Pick<GrantInput, 'subject' | 'requestedBy' | 'approvers'>

/** True for the requester and the subject. */
export const isGrantParty = ({ subject, requestedBy }: Grant, { id }: Author): boolean =>
  id === requestedBy.id || (subject.kind === 'person' && id === subject.id)

/** Also true for the approvers: a post-review must come from another person. */
export const participatedInGrant = (grant: Grant, by: Author): boolean =>
  isGrantParty(grant, by) || grant.approvers.some(({ id }) => id === by.id)
