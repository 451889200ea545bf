/** Horizontal bars below each other, for labels that are words. */
import { scaleBand } from 'd3-scale'
import { stack } from 'd3-shape'
import {
  classOf,
  ChartFrame,
  scaleOf,
  shortLabel,
  ticksOf,
  tickText,
  chartWidth,
  type ChartBody,
  type DrawingProps,
} from './chart-frame.tsx'
import { figureText } from './figures.ts'

const left = 126
const right = 40
const top = 4
const foot = 22
const labelChars = 18
const barPx = { alone: 26, together: 15 } as const

export function BarChart({ chart, title, id }: DrawingProps) {
  const { form, labels, series, unit } = chart
  const isStacked = form === 'stacked'
  const rowPx = isStacked || series.length === 1 ? barPx.alone : barPx.together * series.length
  const height = top + labels.length * (rowPx + 12) + foot
  const bands = scaleBand<number>(labels.keys(), [top, height - foot]).padding(0.25)
  const x = scaleOf(chart, [left, chartWidth - right])
  const bars = isStacked ? stackedBars(chart) : groupedBars(chart)
  const bandPx = bands.bandwidth()
  const barHeight = isStacked ? bandPx : bandPx / series.length
  return (
    <ChartFrame title={title} id={id} height={height}>
      {ticksOf(x, chart).map((tick) => (
        <g key={tick} class="tick">
          <line x1={x(tick)} x2={x(tick)} y1={top} y2={height - foot} />
          <text x={x(tick)} y={height - 6} text-anchor="middle">
            {tickText(tick, chart)}
          </text>
        </g>
      ))}
      {labels.map((label, n) => (
        <text key={n} x={left - 8} y={bands(n)! + bandPx / 2} dy="0.35em" text-anchor="end">
          {shortLabel(label, labelChars)}
        </text>
      ))}
      {bars.map(({ row, of, from, to, value }) => {
        const y = bands(row)! + (isStacked ? 0 : of * barHeight)
        return (
          <g key={`${row}.${of}`} class={classOf(series[of]!, of)}>
            <rect x={x(from)} y={y} width={Math.max(0, x(to) - x(from))} height={barHeight - 1} />
            {!isStacked && (
              <text x={x(to) + 5} y={y + barHeight / 2} dy="0.35em" class="at">
                {figureText(value, { unit })}
              </text>
            )}
          </g>
        )
      })}
    </ChartFrame>
  )
}

interface Bar {
  readonly row: number
  /** The index of the series. */
  readonly of: number
  readonly from: number
  readonly to: number
  readonly value: number | null
}

const groupedBars = ({ labels, series }: ChartBody): readonly Bar[] =>
  labels.flatMap((_, row) =>
    series.map(({ values }, of) => {
      const value = values[row] ?? null
      return { row, of, from: 0, to: value ?? 0, value }
    }),
  )

function stackedBars({ labels, series }: ChartBody): readonly Bar[] {
  const layers = stack<number, number>()
    .keys(series.keys())
    .value((row, of) => series[of]!.values[row] ?? 0)([...labels.keys()])
  return layers.flatMap((layer, of) =>
    layer.map(([from, to], row) => ({ row, of, from, to, value: to - from })),
  )
}
