/**
 * Reads Prometheus' text format (https://prometheus.io/docs/instrumenting/exposition_formats/) and
 * checks it by the rules of `promtool check metrics`, which CI has not.
 */

export interface MetricSample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface MetricFamily {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly samples: readonly MetricSample[]
}

type OpenFamily = MetricFamily & { readonly samples: MetricSample[] }

const sampleLine = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const labelPair = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"(?:,|$)/y

/** Throws for a line that does not fit the format. */
export function parseExposition(text: string): readonly MetricFamily[] {
  if (!text.endsWith('\n')) throw new Error('the last line does not end')
  const families: OpenFamily[] = []
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? []
    const last = families.at(-1)
    if (keyword === 'HELP') families.push({ name, help: rest, type: '', samples: [] })
    else if (keyword === 'TYPE') {
      if (last?.name !== name || last.type !== '') throw new Error(`out of place: ${line}`)
      families[families.length - 1] = { ...last, type: rest }
    } else {
      const sample = parseSample(line)
      if (!last || !namesOf(last).includes(sample.name)) throw new Error(`out of place: ${line}`)
      last.samples.push(sample)
    }
  }
  return families
}

function parseSample(line: string): MetricSample {
  const [, name, pairs = '', value] = sampleLine.exec(line) ?? []
  if (name === undefined || value === undefined) throw new Error(`no sample: ${line}`)
  const labels: Record<string, string> = {}
  labelPair.lastIndex = 0
  while (labelPair.lastIndex < pairs.length) {
    const [, label, text] = labelPair.exec(pairs) ?? []
    if (label === undefined || text === undefined) throw new Error(`no label: ${line}`)
    labels[label] = text
  }
  const number = Number(value.replace(/^([+-]?)Inf$/, '$1Infinity'))
  // Prometheus reads it in any case.
  if (Number.isNaN(number) && !/^nan$/i.test(value)) throw new Error(`no number: ${line}`)
  return { name, labels, value: number }
}

/** The names that samples of a family may have. */
function namesOf({ name, type }: Pick<MetricFamily, 'name' | 'type'>): readonly string[] {
  if (type === 'histogram') return [`${name}_bucket`, `${name}_sum`, `${name}_count`]
  return type === 'summary' ? [name, `${name}_sum`, `${name}_count`] : [name]
}

const otherUnits =
  /_(milliseconds?|microseconds?|nanoseconds?|minutes?|hours?|days?|weeks?|kilobytes?|megabytes?|kibibytes?|mebibytes?|percents?|ms|us|ns|s|kb|mb|kib|mib)(_total)?$/

/** What Prometheus' own check would say, one sentence each. */
export function metricProblems(families: readonly MetricFamily[]): readonly string[] {
  const names = families.map(({ name }) => name)
  const twice = names.filter((name, i) => names.indexOf(name) !== i)
  return [...twice.map((name) => `${name} is there twice`), ...families.flatMap(problemsOf)]
}

function problemsOf(family: MetricFamily): readonly string[] {
  const { name, help, type, samples } = family
  const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)))
  const series = samples.map((sample) => JSON.stringify([sample.name, sample.labels]))
  const rules: readonly (readonly [isBroken: boolean, rule: string])[] = [
    [help.trim() === '', 'has no help'],
    [!['counter', 'gauge', 'histogram', 'summary'].includes(type), 'has no type'],
    [(type === 'counter') !== name.endsWith('_total'), 'a counter, and nothing else, ends _total'],
    [/_(count|sum|bucket)$/.test(name), 'is named like a part of a histogram'],
    [/(^|_)(counter|gauge|histogram|summary)(_|$)/.test(name), 'names its type'],
    [/[A-Z:]/.test(name), 'is not in snake case'],
    [otherUnits.test(name), 'is in no base unit'],
    [[...labels].some((label) => /[A-Z]|^__/.test(label)), 'has a label that is not in snake case'],
    [labels.has('le') !== (type === 'histogram' && samples.length > 0), 'has le, or lacks it'],
    [new Set(series).size !== series.length, 'has a series twice'],
    [type === 'histogram' && !isWholeHistogram(family), 'has buckets that do not add up'],
  ]
  return rules.flatMap(([isBroken, rule]) => (isBroken ? [`${name}: ${rule}`] : []))
}

/** Buckets grow up to `+Inf`, which is the count. */
function isWholeHistogram({ name, samples }: MetricFamily): boolean {
  const groups = new Map<string, MetricSample[]>()
  for (const sample of samples) {
    const { le: _, ...labels } = sample.labels
    const key = JSON.stringify(labels)
    groups.set(key, [...(groups.get(key) ?? []), sample])
  }
  return [...groups.values()].every((group) => {
    const buckets = group.filter((sample) => sample.name === `${name}_bucket`)
    const count = group.find((sample) => sample.name === `${name}_count`)?.value
    const last = buckets.at(-1)
    const grows = buckets.every(({ value }, i) => i === 0 || value >= buckets[i - 1]!.value)
    return grows && last?.labels['le'] === '+Inf' && last.value === count
  })
}
