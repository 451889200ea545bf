/** The parties of a grant, who must not decide on it alone. Pure. */
import type { Author } from '../../../proto/access/author.ts'
import type { GrantInput } from '../../../proto/access/grants/grant.ts'
import { isGrantParty } from '../../../proto/access/grants/suspension.ts'

type Grant = Pick<GrantInput, 'subject' | 'requestedBy' | 'approvers'>

/** Also true for the approvers: a post-review must come from another person. */
export const participatedInGrant = (grant: Grant, by: Author): boolean =>
  isGrantParty(grant, by) || grant.approvers.some(({ id }) => id === by.id)
