/**
 * A chart as SVG, with a table of the same figures. Colours are classes, so that they adapt to
 * light, dark and print; each series is also named in text.
 */
import { ColumnChart } from '../../../html/chart/chart-columns.tsx'
import { classOf, type ChartBody } from '../../../html/chart/chart-frame.tsx'
import { LineChart } from '../../../html/chart/chart-line.tsx'
import { BarChart } from '../../../html/chart/chart-rows.tsx'
import { ReportTable } from './table.tsx'
import { plain } from './text.ts'

interface Props {
  readonly chart: ChartBody
  readonly heading: string
  readonly id: string
}

/** A longer table does not fit beside its chart on paper. */
const besideRows = 14

const times: readonly string[] = ['Day', 'Week from', 'Month']

export function ReportChart({ heading, chart, id }: Props) {
  const { axis, form, labels, series, unit } = chart
  const isLine = form === 'line' && labels.length > 1
  const Drawing = isLine ? LineChart : times.includes(axis) ? ColumnChart : BarChart
  const columns = [{ label: axis }, ...series.map(({ name }) => ({ label: name, unit }))]
  const rows = labels.map((label, n) => [label, ...series.map(({ values }) => values[n] ?? null)])
  return (
    <figure class={labels.length > besideRows ? 'long' : undefined}>
      <div class="drawing">
        <Drawing chart={chart} title={`${heading}, by ${axis.toLowerCase()}`} id={id} />
        {series.length > 1 && <Legend series={series} />}
      </div>
      <ReportTable caption={`${heading}, in figures`} columns={columns} rows={rows} />
    </figure>
  )
}

const Legend = ({ series }: Pick<ChartBody, 'series'>) => (
  <ul class="legend" aria-hidden="true">
    {series.map(({ name }, n) => (
      <li key={n}>
        <svg width="12" height="12" viewBox="0 0 12 12" class={classOf({ name }, n)}>
          <rect width="12" height="12" rx="2" />
        </svg>
        {plain(name)}
      </li>
    ))}
  </ul>
)
