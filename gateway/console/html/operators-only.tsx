/** Pages of operators: what a key without the scope `admin` sees instead. */
import type { PageContent } from '../../html/page-content.ts'
import { ButtonLink, EmptyState } from '../../html/parts.tsx'
import type { ShowConsolePage } from '../page.ts'
import type { ConsoleVisit } from '../visit.ts'

/**
 * Calls `show` for keys with the scope `admin`; for others, returns a page that names the required
 * key.
 */
export const forOperators =
  (title: string, show: ShowConsolePage): ShowConsolePage =>
  (visit, problem) =>
    visit.isAdmin ? show(visit, problem) : operatorsOnly(visit, title)

function operatorsOnly(visit: ConsoleVisit, title: string): PageContent {
  return {
    title,
    status: 403,
    body: (
      <EmptyState title="This page is for operators of the service">
        <p>
          It requires a key with the scope <code>admin</code>. You are signed in with the key “
          <bdi>{visit.facts.principal.keyName}</bdi>”, which can see only its own tenant. Sign out
          and sign in with another key, or ask the operator of this service.
        </p>
        <p>
          <ButtonLink href={visit.at('')}>Go to sessions</ButtonLink>
        </p>
      </EmptyState>
    ),
  }
}
