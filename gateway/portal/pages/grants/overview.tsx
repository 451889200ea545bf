/** All tokens that a person manages, with their last use. */
import type { GrantView, TokenView } from '../../../../proto/access/grants/grant.ts'
import { IdCode, DueDay, EmptyState, TimeText } from '../../../html/parts.tsx'
import { StatusMark } from '../../html/status-mark.tsx'
import { DataTable } from '../../../html/table.tsx'
import type { PageContent } from '../../../html/page-content.ts'
import type { Visit } from '../../visit.ts'
import { needTitle, subjectName } from '../../words/names.ts'

interface Row {
  readonly grant: GrantView
  readonly token: TokenView
}

const shownMost = 200

export function showTokens(visit: Visit): PageContent {
  const isOwner = visit.person.roles.includes('owner')
  const rows = visit
    .list('grant')
    .filter(({ subject }) => isOwner || subject.id === visit.person.id)
    .flatMap((grant): Row[] => grant.tokens.map((token) => ({ grant, token })))
    .sort((a, b) => b.token.createdAtMs - a.token.createdAtMs)
    .slice(0, shownMost)
  return {
    title: 'Tokens',
    lead: isOwner
      ? 'Every token that gives access to your data. Revoke those that are no longer used.'
      : 'Tokens with which programs use your access.',
    body:
      rows.length === 0 ? (
        <EmptyState title="There are no tokens.">
          <p>Create a token on the page of a grant, for a program that uses the API.</p>
        </EmptyState>
      ) : (
        <TokenList visit={visit} rows={rows} />
      ),
  }
}

const TokenList = ({ visit, rows }: { visit: Visit; rows: readonly Row[] }) => (
  <DataTable
    caption="Newest first"
    rows={rows}
    columns={[
      {
        label: 'Name',
        isHead: true,
        cell: ({ token, grant }) => <a href={visit.at(`/access/${grant.id}`)}>{token.name}</a>,
      },
      { label: 'Token', cell: ({ token }) => <IdCode>{token.hint}</IdCode> },
      { label: 'Used by', cell: ({ grant }) => subjectName(visit, grant.subject) },
      { label: 'Need', cell: ({ grant }) => needTitle(visit, grant.needId) },
      {
        label: 'Status',
        cell: ({ token, grant }) => <StatusMark of={stateOf(token, grant, visit.now)} />,
      },
      {
        label: 'Last used',
        cell: ({ token: { lastUsedAtMs } }) =>
          lastUsedAtMs === undefined ? 'Not yet' : <TimeText ms={lastUsedAtMs} zone={visit.zone} />,
      },
      {
        label: 'Ends',
        cell: ({ token }) => <DueDay ms={token.expiresAtMs} zone={visit.zone} now={visit.now} />,
      },
    ]}
  />
)

/** A token is not active while its grant is not. */
function stateOf(token: TokenView, grant: GrantView, nowMs: number): string {
  if (token.revokedAtMs !== undefined) return 'revoked'
  if (token.expiresAtMs <= nowMs) return 'expired'
  return grant.status === 'active' ? 'active' : grant.status
}
