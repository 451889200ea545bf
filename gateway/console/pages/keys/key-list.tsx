/** The parts of the list of keys. */
import { hiddenField } from '../../../html/form.tsx'
import { ButtonLink, EmptyState, withQuery } from '../../../html/parts.tsx'
import { DataTable } from '../../../html/table.tsx'
import type { ConsoleVisit } from '../../visit.ts'
import { keyShows, type KeyPage, type KeyQuery, type KeyShow } from './key-query.ts'
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

const listPath = (visit: ConsoleVisit, change: Readonly<Record<string, string | undefined>>) =>
  withQuery(visit.at('/keys'), visit.query, change)

export const KeySwitch = ({ visit, query, found }: ListFacts) => (
  <nav class="show" aria-label="Which keys" id="show">
    <ul>
      {keyShows.map((name) => (
        <li>
          <a
            href={listPath(visit, { show: name === 'active' ? undefined : name, page: undefined })}
            aria-current={name === query.show ? 'true' : undefined}
          >
            {showLabels[name]}{' '}
            <span class="how-many">{found.counts[name].toLocaleString('en')}</span>
          </a>
        </li>
      ))}
    </ul>
  </nav>
)

export const KeySearch = ({ visit, query }: Pick<ListFacts, 'visit' | 'query'>) => (
  <form method="get" action={visit.at('/keys')} class="search" role="search">
    {query.show === 'active' ? '' : hiddenField('show', query.show)}
    <label for="f-search" class="hidden">
      Search keys
    </label>
    <input
      id="f-search"
      name="search"
      type="search"
      value={visit.asked('search')}
      placeholder="Name, tenant or id"
    />
    <button type="submit" class="button plain">
      Search
    </button>
  </form>
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
        <KeyPager visit={visit} found={found} />
      </>
    )}
  </div>
)

const KeyPager = ({ visit, found: { page, pages } }: Pick<ListFacts, 'visit' | 'found'>) => {
  if (pages === 1) return <></>
  const to = (n: number) => listPath(visit, { page: n === 1 ? undefined : String(n) })
  return (
    <nav class="pager" aria-label="Pages of this list">
      {page > 1 ? <a href={to(page - 1)}>Newer</a> : ''}
      {page < pages ? <a href={to(page + 1)}>Older</a> : ''}
    </nav>
  )
}

const NoKeys = ({ visit, query }: ListFacts) => {
  if (query.words.length > 0) {
    return (
      <EmptyState title="No key matches this search">
        <p>
          Every word has to occur in a key’s name, tenant, id or state.{' '}
          <a href={listPath(visit, { search: undefined, page: undefined })}>Clear the search</a>
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
