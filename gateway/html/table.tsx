/**
 * A table with a caption, sortable heads and row heads. On phones each row is a card; explicit
 * roles keep the table semantics for screen readers.
 */
import type { Markup } from './markup.ts'

export interface TableColumn<R> {
  readonly label: string
  readonly cell: (row: R) => Markup
  /** This column names the row; exactly one column of a table has it. */
  readonly isHead?: boolean
  readonly isNumber?: boolean
  /** The link that sorts by this column, and the current order. */
  readonly sort?: { readonly href: string; readonly now: 'ascending' | 'descending' | 'none' }
}

export function DataTable<R>({
  caption,
  columns,
  rows,
  idOf,
}: {
  caption: string
  columns: readonly TableColumn<R>[]
  rows: readonly R[]
  /** The `id` of a row's element, for scripts that replace rows. */
  idOf?: (row: R) => string
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
          <DataRow columns={columns} row={row} id={idOf?.(row)} />
        ))}
      </tbody>
    </table>
  )
}

export function DataRow<R>({
  columns,
  row,
  id,
}: {
  columns: readonly TableColumn<R>[]
  row: R
  id: string | undefined
}) {
  return (
    <tr role="row" id={id}>
      {columns.map((column) => (
        <Cell column={column} content={column.cell(row)} />
      ))}
    </tr>
  )
}

type AnyColumn = Pick<TableColumn<never>, 'label' | 'isHead' | 'isNumber' | 'sort'>

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
