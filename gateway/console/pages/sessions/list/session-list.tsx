/** The list of sessions: the first page of the console. */
import type { PageContent } from '../../../../html/page-content.ts'
import { ButtonLink, EmptyState, withQuery } from '../../../../html/parts.tsx'
import { DataTable } from '../../../../html/table.tsx'
import { CodeSample } from '../../../../html/code/code-sample.tsx'
import {
  captionOf,
  ListLiveness,
  ListPager,
  ListSearch,
  ListSwitch,
  TenantChoice,
} from '../../../lists/list-parts.tsx'
import type { ConsoleVisit } from '../../../visit.ts'
import { creationFacts } from '../create/creation-facts.ts'
import { creationLines } from '../../../../html/code/code-lines.ts'
import {
  findSessions,
  sessionQuery,
  visibleSessions,
  type SessionPage,
  type SessionQuery,
  type SessionShow,
} from './session-query.ts'
import { rowIdOf, sessionColumns } from './session-row.tsx'

const showLabels: Readonly<Record<SessionShow, string>> = {
  live: 'Active',
  ended: 'Ended',
  all: 'All',
}

export function showSessions(visit: ConsoleVisit): PageContent {
  const query = sessionQuery(visit.query)
  const found = findSessions(visibleSessions(visit), query)
  return {
    title: 'Sessions',
    ...(visit.has('sessions') && {
      actions: (
        <ButtonLink href={visit.at('/sessions/new')} kind="main">
          New session
        </ButtonLink>
      ),
    }),
    body: (
      <>
        <ListLiveness visit={visit} feed="/sessions/feed" />
        <div class="list-head">
          <ShowSwitch visit={visit} query={query} found={found} />
          <SearchForm visit={visit} query={query} found={found} />
        </div>
        <SessionsRegion visit={visit} query={query} found={found} />
      </>
    ),
  }
}

const SearchForm = ({ visit, query, found }: ListFacts) => (
  <ListSearch
    visit={visit}
    path=""
    label="Search sessions"
    placeholder="ID, tag, key, host or state"
    show={query.show === 'live' ? undefined : query.show}
  >
    {visit.isAdmin ? <TenantChoice chosen={query.tenant} known={found.tenants} /> : ''}
  </ListSearch>
)

interface ListFacts {
  readonly visit: ConsoleVisit
  readonly query: SessionQuery
  readonly found: SessionPage
}

const listPath = (visit: ConsoleVisit, change: Readonly<Record<string, string | undefined>>) =>
  withQuery(visit.at(''), visit.query, change)

export const ShowSwitch = ({ visit, query, found }: ListFacts) => (
  <ListSwitch
    visit={visit}
    path=""
    label="Which sessions"
    parts={showLabels}
    shown={query.show}
    counts={found.counts}
  />
)

/** Replaced as a whole when the first row appears or the last one disappears. */
export const SessionsRegion = ({ visit, query, found }: ListFacts) => (
  <div id="sessions">
    {found.rows.length === 0 ? (
      <NoSessions visit={visit} query={query} found={found} />
    ) : (
      <>
        <DataTable
          caption={captionOf(found)}
          columns={sessionColumns(visit)}
          rows={found.rows}
          idOf={rowIdOf}
        />
        <ListPager visit={visit} path="" found={found} />
      </>
    )}
  </div>
)

const NoSessions = ({ visit, query, found }: ListFacts) => {
  if (query.words.length > 0 || query.tenant !== undefined) {
    return (
      <EmptyState title="No sessions match this search">
        <p>
          Every word must occur in a session’s ID, tags, key, host or state.{' '}
          <a href={listPath(visit, { search: undefined, tenant: undefined, page: undefined })}>
            Clear the search
          </a>
        </p>
      </EmptyState>
    )
  }
  if (query.show === 'ended') {
    return (
      <EmptyState title="No sessions have ended yet">
        <p>Ended sessions are listed here for some days, with the reason why they ended.</p>
      </EmptyState>
    )
  }
  return (
    <EmptyState title="No sessions are running">
      <p>
        A session is your own browser. {found.total > 0 ? 'Past sessions are under “Ended”.' : ''}
      </p>
      {visit.has('sessions') ? <FirstSession visit={visit} isFirst={found.total === 0} /> : ''}
    </EmptyState>
  )
}

const FirstSession = ({ visit, isFirst }: { visit: ConsoleVisit; isFirst: boolean }) => {
  const [shell] = creationLines({ ...creationFacts(visit), body: {} })
  return (
    <>
      <p>
        <ButtonLink href={visit.at('/sessions/new')} kind="main">
          {isFirst ? 'Start your first session' : 'New session'}
        </ButtonLink>
      </p>
      <CodeSample id="code-shell" label="Or from your code" text={shell!.text} />
    </>
  )
}
