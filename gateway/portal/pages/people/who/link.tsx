/** Leads to the page that says who can do what for a client, for those who may see it. */
import { onlyRoles, mayAttempt } from '../../../../routing/auth/access-rule.ts'
import { staffRoles } from '../../../../../proto/access/author.ts'
import { ButtonLink } from '../../../../html/parts.tsx'
import type { Visit } from '../../../visit.ts'

/** Staff, and owners for their own client. */
export const whoRule = onlyRoles('owner', ...staffRoles)

export const whoPath = (client: string): string => `/clients/${client}/who`

export const WhoLink = ({ visit, client }: { visit: Visit; client: string | undefined }) =>
  client === undefined || !mayAttempt(whoRule, visit.facts.caller) ? (
    <></>
  ) : (
    <ButtonLink href={visit.at(whoPath(client))}>Who can do what</ButtonLink>
  )
