/** Who has a part in a grant, and so does not decide on it alone. Pure. */
import type { Author } from '../../../proto/access/author.ts'
import type { GrantInput } from '../../../proto/access/grant.ts'

type Grant = Pick<GrantInput, 'subject' | 'requestedBy' | 'approvers'>

/** Asked for it, or gets it. */
export const isParty = ({ subject, requestedBy }: Grant, { id }: Author): boolean =>
  id === requestedBy.id || (subject.kind === 'person' && id === subject.id)

/** Or approved it: a second look is another person's. */
export const hadPart = (grant: Grant, by: Author): boolean =>
  isParty(grant, by) || grant.approvers.some(({ id }) => id === by.id)
