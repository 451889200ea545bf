/** Vertical bars from left to right, for steps of time. */
import { scaleBand } from 'd3-scale'
import {
  classOf,
  ChartFrame,
  axisLeft,
  GridLines,
  scaleOf,
  chartWidth,
  type DrawingProps,
} from './chart-frame.tsx'
import { cleanText } from '../../../runtime/lib/text/clean.ts'

const top = 10
const foot = 24
const height = 220
/** More labels would overlap. */
const labelsMost = 8

export function ColumnChart({ chart, title, id }: DrawingProps) {
  const { labels, series } = chart
  const bands = scaleBand<number>(labels.keys(), [axisLeft, chartWidth - 4]).padding(0.2)
  const y = scaleOf(chart, [height - foot, top])
  const barPx = bands.bandwidth() / series.length
  const every = Math.ceil(labels.length / labelsMost)
  return (
    <ChartFrame title={title} id={id} height={height}>
      <GridLines chart={chart} y={y} />
      {labels.map((label, n) =>
        n % every === 0 ? (
          <text key={n} x={bands(n)! + bands.bandwidth() / 2} y={height - 7} text-anchor="middle">
            {cleanText(label)}
          </text>
        ) : null,
      )}
      {series.map((one, of) => (
        <g key={of} class={classOf(one, of)}>
          {one.values.map((value, n) => (
            <rect
              key={n}
              x={bands(n)! + of * barPx}
              y={y(value ?? 0)}
              width={Math.max(1, barPx - 1)}
              height={y(0) - y(value ?? 0)}
            />
          ))}
        </g>
      ))}
    </ChartFrame>
  )
}
