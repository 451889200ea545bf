/** What stands around the table of a list: whether it is live, its parts, and its pages. */
import { withQuery } from '../../html/parts.tsx'
import { timeWord } from '../../html/times.ts'
import type { ConsoleVisit } from '../visit.ts'
import type { ConsoleListPage } from './list-query.ts'

export const countWord = (count: number): string => count.toLocaleString('en')

/** Names the stream for the script, which shows whether the list is live. `feed` is its path. */
export const ListLiveness = ({ visit, feed }: { visit: ConsoleVisit; feed: string }) => (
  <p
    class="liveness"
    data-feed={withQuery(visit.at(feed), visit.query, {})}
    data-now={String(visit.now)}
  >
    As of {timeWord(visit.now, 'UTC')}. Reload the page to see changes.
  </p>
)

export interface ListSwitchProps<S extends string> {
  readonly visit: ConsoleVisit
  /** The path of the list below `/console`. */
  readonly path: string
  readonly label: string
  /** The labels of its parts; the first is shown where the URL names none. */
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

export function captionOf({ rows, page, pages }: ConsoleListPage<unknown>): string {
  return pages === 1
    ? 'Newest first'
    : `Newest first, page ${page} of ${pages}, ${rows.length} on this page`
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
    <nav class="pager" aria-label="Pages of this list">
      {page > 1 ? <a href={to(page - 1)}>Newer</a> : ''}
      {page < pages ? <a href={to(page + 1)}>Older</a> : ''}
    </nav>
  )
}
