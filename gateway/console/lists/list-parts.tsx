/** The elements around the table of a list: whether it is live, its parts, and its pages. */
import { hiddenField } from '../../html/form.tsx'
import type { Markup } from '../../html/markup.ts'
import { withQuery } from '../../html/parts.tsx'
import { LiveMark } from '../html/live-mark.tsx'
import { consoleLimits } from '../limits.ts'
import type { ConsoleVisit } from '../visit.ts'
import type { ConsoleListPage } from './list-query.ts'

export const countWord = (count: number): string => count.toLocaleString('en')

/**
 * Shows whether a list is live; `feed` is the path of its event stream, which gets the query of the
 * list.
 */
export const ListLiveness = ({ visit, feed }: { visit: ConsoleVisit; feed: string }) => (
  <LiveMark visit={visit} feed={withQuery(visit.at(feed), visit.query, {})} />
)

export interface ListSwitchProps<S extends string> {
  readonly visit: ConsoleVisit
  /** The path of the list below `/console`. */
  readonly path: string
  readonly label: string
  /** The labels of its parts; the first one is the default. */
  readonly parts: Readonly<Record<S, string>>
  readonly shown: S
  readonly counts: Readonly<Record<S, number>>
}

/** Links to the parts of a list, each with the number of its rows. */
export function ListSwitch<S extends string>(of: ListSwitchProps<S>) {
  const { visit, path, label, parts, shown, counts } = of
  const names = Object.keys(parts) as S[]
  const to = (name: S) => {
    const change = { show: name === names[0] ? undefined : name, page: undefined }
    return withQuery(visit.at(path), visit.query, change)
  }
  return (
    <nav class="show" aria-label={label} id="show">
      <ul>
        {names.map((name) => (
          <li>
            <a href={to(name)} aria-current={name === shown ? 'true' : undefined}>
              {parts[name]}{' '}
              <span class="how-many" data-count={name}>
                {countWord(counts[name])}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

interface ListSearchProps {
  readonly visit: ConsoleVisit
  /** The path of the list below `/console`. */
  readonly path: string
  readonly label: string
  readonly placeholder: string
  /** The selected part of the list; undefined for the first. */
  readonly show: string | undefined
  /** Further fields of the search. */
  readonly children?: Markup
}

/** The search is sent with GET, so that its URL can be kept and shared. */
export const ListSearch = ({
  visit,
  path,
  label,
  placeholder,
  show,
  children,
}: ListSearchProps) => (
  <form method="get" action={visit.at(path)} class="search" role="search">
    {show === undefined ? '' : hiddenField('show', show)}
    {children ?? ''}
    <label for="f-search" class="hidden">
      {label}
    </label>
    <input
      id="f-search"
      name="search"
      type="search"
      value={visit.asked('search')}
      placeholder={placeholder}
    />
    <button type="submit" class="button plain">
      Search
    </button>
  </form>
)

interface TenantChoiceProps {
  readonly chosen: string | undefined
  /** The tenants that have rows. */
  readonly known: readonly string[]
}

/** The choice of a tenant, for keys that see every tenant. */
export const TenantChoice = ({ chosen, known }: TenantChoiceProps) => {
  const first = known.slice(0, consoleLimits.tenantChoices)
  const names = chosen === undefined || first.includes(chosen) ? first : [chosen, ...first]
  return (
    <>
      <label for="f-tenant" class="hidden">
        Tenant
      </label>
      <select id="f-tenant" name="tenant">
        <option value="">All tenants</option>
        {names.map((name) => (
          <option value={name} selected={name === chosen}>
            {name}
          </option>
        ))}
      </select>
    </>
  )
}

export function captionOf({ rows, page, pages, older = 0 }: ConsoleListPage<unknown>): string {
  const parts = [
    'Newest first',
    ...(pages === 1 ? [] : [`page ${page} of ${pages}`, `${rows.length} on this page`]),
    ...(older === 0 ? [] : [`without ${countWord(older)} older ones, which the API lists`]),
  ]
  return parts.join(', ')
}

export const ListPager = ({
  visit,
  path,
  found: { page, pages },
}: {
  visit: ConsoleVisit
  path: string
  found: ConsoleListPage<unknown>
}) => {
  if (pages === 1) return <></>
  const to = (n: number) =>
    withQuery(visit.at(path), visit.query, { page: n === 1 ? undefined : String(n) })
  return (
    <nav class="pager" aria-label="Pagination">
      {page > 1 ? <a href={to(page - 1)}>Newer</a> : ''}
      {page < pages ? <a href={to(page + 1)}>Older</a> : ''}
    </nav>
  )
}
