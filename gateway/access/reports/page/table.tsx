/**
 * A table with a caption, scoped heads, and right-aligned numbers. On phones its rows are laid out
 * as blocks, which would remove the table semantics, so roles are set explicitly.
 */
import type { SectionBody } from '../../../../proto/access/reports/report-content.ts'
import { figureText } from '../../../html/chart/figures.ts'
import { plain } from './text.ts'

type Props = SectionBody<'table'> & { readonly caption: string; readonly showsCaption?: boolean }
type Column = Props['columns'][number]

/** Longer texts may be broken within a word, so that one word cannot push the others away. */
const wideChars = 24

const isFigure = ({ unit }: Column) => unit !== undefined && unit !== 'date'
const classOf = (column: Column) => (isFigure(column) ? 'number' : undefined)

export function ReportTable({ caption, showsCaption = false, columns, rows }: Props) {
  return (
    <div class="scroll" role="group" aria-label={plain(caption)} tabIndex={0}>
      <table role="table">
        <caption class={showsCaption ? undefined : 'unseen'}>{plain(caption)}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column, n) => (
              <th key={n} role="columnheader" scope="col" class={classOf(column)}>
                {plain(column.label)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row, n) => (
            <tr key={n} role="row">
              {columns.map((column, i) => (
                <Cell key={i} column={column} isHead={i === 0} value={row[i] ?? null} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface CellProps {
  readonly column: Column
  readonly isHead: boolean
  readonly value: string | number | null
}

function Cell({ column, isHead, value }: CellProps) {
  const text = plain(figureText(value, column))
  const wide = text.length > wideChars ? 'wide' : undefined
  if (isHead)
    return (
      <th role="rowheader" scope="row" class={wide}>
        {text}
      </th>
    )
  return (
    <td role="cell" class={classOf(column) ?? wide} data-label={plain(column.label)}>
      {text}
    </td>
  )
}
