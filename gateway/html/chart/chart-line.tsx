/** A line chart, for values that continue over time. */
import { scalePoint } from 'd3-scale'
import { line } from 'd3-shape'
import {
  classOf,
  ChartFrame,
  axisLeft,
  GridLines,
  scaleOf,
  shortLabel,
  chartWidth,
  type DrawingProps,
} from './chart-frame.tsx'
import { figureText } from './figures.ts'

const right = 24
const top = 18
const foot = 24
const height = 220
const labelsMost = 4
const labelChars = 14
/** With more points, only those with a label on the axis show their value. */
const valuesMost = 12

export function LineChart({ chart, title, id }: DrawingProps) {
  const { labels, series, unit } = chart
  const x = scalePoint<number>(labels.keys(), [axisLeft + 26, chartWidth - right - 16])
  const y = scaleOf(chart, [height - foot, top])
  const every = Math.ceil(labels.length / labelsMost)
  const last = labels.length - 1
  // The last point always has its label, and the one before it none that would overlap.
  const isLabelled = (n: number) => n === last || (n % every === 0 && last - n >= every)
  const path = line<number | null>()
    .defined((value) => value !== null)
    .x((_, n) => x(n)!)
    .y((value) => y(value ?? 0))
  return (
    <ChartFrame title={title} id={id} height={height}>
      <GridLines chart={chart} y={y} />
      {labels.map((label, n) =>
        isLabelled(n) ? (
          <text key={n} x={x(n)} y={height - 7} text-anchor="middle">
            {shortLabel(label, labelChars)}
          </text>
        ) : null,
      )}
      {series.map((one, of) => (
        <g key={of} class={classOf(one, of)}>
          <path class="line" d={path(one.values) ?? ''} />
          {one.values.map((value, n) =>
            value === null ? null : (
              <g key={n}>
                <circle cx={x(n)} cy={y(value)} r="4" />
                {(labels.length <= valuesMost || isLabelled(n)) && (
                  <text x={x(n)} y={y(value) - 9} text-anchor="middle" class="at">
                    {figureText(value, { unit })}
                  </text>
                )}
              </g>
            ),
          )}
        </g>
      ))}
    </ChartFrame>
  )
}
