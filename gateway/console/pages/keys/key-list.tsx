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
    placeholder="Name, tenant or id"
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
      <EmptyState title="No key matches this search">
        <p>
          Every word has to occur in a key’s name, tenant, id or state.{' '}
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
      <EmptyState title="No key was revoked or has expired">
        <p>Keys stay in this list afterwards, because the audit names them.</p>
      </EmptyState>
    )
  }
  return (
    <EmptyState title="There is no key yet">
      <p>
        Everybody who uses this service from another machine needs one. Give each program and person
        a key of their own: it can be revoked without the others.
      </p>
      <p>
        <ButtonLink href={visit.at('/keys/new')} kind="main">
          New key
        </ButtonLink>
      </p>
    </EmptyState>
  )
}
