/** Metrics of prom-client whose values are read at each scrape instead of being counted here. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { reportedBoundsSeconds, type ReportedHistogram } from '../../../proto/host-counts.ts'

export interface Figure<Label extends string> {
  /** Includes the unit; the name of a counter ends with `_total`. */
  readonly name: string
  readonly help: string
  readonly labels?: readonly Label[]
}

export type FigureLabels<Label extends string> = Readonly<Record<Label, string>>
type Values<Label extends string, V = number> = Iterable<readonly [FigureLabels<Label>, V]>
type Read<T> = () => T | Promise<T>

export function readGauge<Label extends string = never>(
  registry: Registry,
  { name, help, labels = [] }: Figure<Label>,
  read: Read<Values<Label>>,
): void {
  new Gauge<string>({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    async collect() {
      const values = await read()
      this.reset()
      for (const [labelled, value] of values) this.set(labelled, value)
    },
  })
}

/** The values are counted elsewhere; Prometheus interprets a smaller value as a reset. */
export function readCounter<Label extends string = never>(
  registry: Registry,
  { name, help, labels = [] }: Figure<Label>,
  read: Read<Values<Label>>,
): void {
  new Counter<string>({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    async collect() {
      const values = await read()
      this.reset()
      for (const [labelled, value] of values) this.inc(labelled, value)
    },
  })
}

export function readHistogram<Label extends string>(
  registry: Registry,
  { name, help, labels = [] }: Figure<Label>,
  read: () => Values<Label, ReportedHistogram>,
): void {
  const histogram = new Histogram<string>({ name, help, labelNames: [...labels], registers: [] })
  const { type, aggregator } = histogram as unknown as { type: 'histogram'; aggregator: 'sum' }
  // prom-client calls this method to read a metric; there is no other way to set the buckets.
  const get = async () => ({
    ...{ name, help, type, aggregator },
    values: [...read()].flatMap(([labelled, counted]) => samplesOf(name, labelled, counted)),
  })
  registry.registerMetric(Object.assign(histogram, { get, getForPromString: get }))
}

/** The buckets of the text format are cumulative. */
function samplesOf(
  name: string,
  labels: FigureLabels<string>,
  { counts, sumSeconds }: ReportedHistogram,
) {
  let count = 0
  const buckets = [...reportedBoundsSeconds, '+Inf'].map((le, i) => {
    count += counts[i] ?? 0
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sumSeconds },
    { metricName: `${name}_count`, labels, value: count },
  ]
}
