/**
 * A real table, with a caption, heads that say how it is sorted, and a head for each row. On a phone
 * each row is a card; the roles keep it a table for those who do not see it.
 */
import type { Markup } from '../../html/markup.ts'

export interface Column<R> {
  readonly label: string
  readonly cell: (row: R) => Markup
  /** Names the row. One column of a table has it. */
  readonly isHead?: boolean
  readonly isNumber?: boolean
  /** Where sorting by it leads, and how the table is sorted by it now. */
  readonly sort?: { readonly href: string; readonly now: 'ascending' | 'descending' | 'none' }
}

export function Table<R>({
  caption,
  columns,
  rows,
}: {
  caption: string
  columns: readonly Column<R>[]
  rows: readonly R[]
}) {
  return (
    <table role="table">
      <caption>{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((column) => (
            <Head column={column} />
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr role="row">
            {columns.map((column) => (
              <Cell column={column} content={column.cell(row)} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

type AnyColumn = Pick<Column<never>, 'label' | 'isHead' | 'isNumber' | 'sort'>

const classOf = ({ isNumber }: AnyColumn) => (isNumber ? 'number' : undefined)

const Head = ({ column }: { column: AnyColumn }) => (
  <th scope="col" role="columnheader" class={classOf(column)} aria-sort={column.sort?.now}>
    {column.sort ? (
      <>
        <a class="sort" href={column.sort.href}>
          {column.label}
        </a>
        <span class="unsorted">{column.label}</span>
      </>
    ) : (
      column.label
    )}
  </th>
)

const Cell = ({ column, content }: { column: AnyColumn; content: Markup }) =>
  column.isHead ? (
    <th scope="row" role="rowheader">
      {content}
    </th>
  ) : (
    <td role="cell" class={classOf(column)} data-label={column.label}>
      <div>{content}</div>
    </td>
  )
