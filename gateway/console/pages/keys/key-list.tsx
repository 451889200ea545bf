/** The parts of the list of keys. */
import { ButtonLink, EmptyState, withQuery } from '../../../html/parts.tsx'
import { DataTable } from '../../../html/table.tsx'
import { ListPager, ListSearch, ListSwitch } from '../../lists/list-parts.tsx'
import type { ConsoleVisit } from '../../visit.ts'
import type { KeyPage, KeyQuery, KeyShow } from './key-query.ts'
import { keyColumns, keyRowId } from './key-row.tsx'

interface ListFacts {
  readonly visit: ConsoleVisit
  readonly query: KeyQuery
  readonly found: KeyPage
}

const showLabels: Readonly<Record<KeyShow, string>> = {
  active: 'Active',
  over: 'Revoked or expired',
  all: 'All',
}

export const KeySwitch = ({ visit, query, found }: ListFacts) => (
  <ListSwitch
    visit={visit}
    path="/keys"
    label="Which keys"
    parts={showLabels}
    shown={query.show}
    counts={found.counts}
  />
)

export const KeySearch = ({ visit, query }: Pick<ListFacts, 'visit' | 'query'>) => (
  <ListSearch
    visit={visit}
    path="/keys"
    label="Search keys"
    placeholder="Name, tenant or ID"
    show={query.show === 'active' ? undefined : query.show}
  />
)

export const KeyRegion = ({ visit, query, found }: ListFacts) => (
  <div id="keys">
    {found.rows.length === 0 ? (
      <NoKeys visit={visit} query={query} found={found} />
    ) : (
      <>
        <DataTable
          caption={found.pages === 1 ? 'Newest first' : `Page ${found.page} of ${found.pages}`}
          rows={found.rows}
          columns={keyColumns(visit)}
          idOf={keyRowId}
        />
        <ListPager visit={visit} path="/keys" found={found} />
      </>
    )}
  </div>
)

const NoKeys = ({ visit, query }: ListFacts) => {
  if (query.words.length > 0) {
    return (
      <EmptyState title="No keys match this search">
        <p>
          Every word must occur in a key’s name, tenant, ID or state.{' '}
          <a
            href={withQuery(visit.at('/keys'), visit.query, { search: undefined, page: undefined })}
          >
            Clear the search
          </a>
        </p>
      </EmptyState>
    )
  }
  if (query.show === 'over') {
    return (
      <EmptyState title="There are no revoked or expired keys">
        <p>Keys stay in this list after that, because the audit refers to them.</p>
      </EmptyState>
    )
  }
  return (
    <EmptyState title="No keys have been created yet">
      <p>
        You are signed in with the key “<bdi>{visit.facts.principal.keyName}</bdi>”, which comes
        with the service and is accepted from this machine only.
      </p>
      <p>
        Everyone who uses this service from another machine needs a key. Give each program and
        person their own key, so that you can revoke it separately.
      </p>
      <p>
        <ButtonLink href={visit.at('/keys/new')} kind="main">
          New key
        </ButtonLink>
      </p>
    </EmptyState>
  )
}
