/** The common parts of charts: size, accessible name and scale. */
import { scaleLinear, type ScaleLinear } from 'd3-scale'
import type { SectionBody } from '../../../proto/access/reports/report-content.ts'
import type { Markup } from '../markup.ts'
import { figureText } from './figures.ts'
import { cleanText } from '../../../runtime/lib/text/clean.ts'

export type ChartBody = SectionBody<'chart'>

export const chartWidth = 400
const axisSteps = 4

export interface DrawingProps {
  readonly chart: ChartBody
  readonly title: string
  readonly id: string
}

interface FrameProps {
  readonly title: string
  readonly id: string
  readonly height: number
  readonly children: Markup
}

export const ChartFrame = ({ title, id, height, children }: FrameProps) => (
  <svg class="chart" viewBox={`0 0 ${chartWidth} ${height}`} role="img" aria-labelledby={id}>
    <title id={id}>{cleanText(`${title}. The table has the same figures.`)}</title>
    {children}
  </svg>
)

export type ChartScale = ScaleLinear<number, number>

/** From 0 to the highest value, or to the chart's fixed maximum. */
export function scaleOf(chart: ChartBody, range: readonly [number, number]): ChartScale {
  const top = chart.most ?? Math.max(1, ...heights(chart))
  const scale = scaleLinear().domain([0, top]).range(range)
  return chart.most === undefined ? scale.nice(axisSteps) : scale
}

function heights({ form, labels, series }: ChartBody): readonly number[] {
  const at = (n: number) => series.map(({ values }) => values[n] ?? 0)
  if (form !== 'stacked') return labels.flatMap((_, n) => at(n))
  return labels.map((_, n) => at(n).reduce((sum, one) => sum + one, 0))
}

/** Counts get only integer ticks. */
export const ticksOf = (scale: ChartScale, { unit }: Pick<ChartBody, 'unit'>): readonly number[] =>
  scale.ticks(axisSteps).filter((tick) => unit !== 'count' || Number.isInteger(tick))

/** Short, because the room for it is fixed: `1.2M` for a count. */
export function tickText(value: number, { unit }: Pick<ChartBody, 'unit'>): string {
  if (value === 0) return '0'
  const isLong = value >= 10_000 && (unit === 'count' || unit === 'ratio')
  return isLong ? compact.format(value) : figureText(value, { unit })
}

const compact = new Intl.NumberFormat('en-GB', { notation: 'compact', maximumFractionDigits: 1 })

/** Shortens to about as many characters as fit; the table shows the whole text. */
export function shortLabel(text: string, chars: number): string {
  const shown = cleanText(text)
  return shown.length <= chars ? shown : `${shown.slice(0, chars - 1)}…`
}

const severities: readonly string[] = ['critical', 'high', 'medium', 'low']

/** Severities have fixed colours in all charts. */
export function classOf({ name }: { readonly name: string }, n: number): string {
  const severity = name.toLowerCase()
  return severities.includes(severity) ? `series ${severity}` : `series s${n % 6}`
}

/** The x at which vertical charts begin; the labels of their scale are left of it. */
export const axisLeft = 46

/** Horizontal lines with labels for the ticks of a vertical scale. */
export const GridLines = ({ chart, y }: { readonly chart: ChartBody; readonly y: ChartScale }) => (
  <>
    {ticksOf(y, chart).map((tick) => (
      <g key={tick} class="tick">
        <line x1={axisLeft} x2={chartWidth} y1={y(tick)} y2={y(tick)} />
        <text x={axisLeft - 6} y={y(tick)} dy="0.35em" text-anchor="end">
          {tickText(tick, chart)}
        </text>
      </g>
    ))}
  </>
)
