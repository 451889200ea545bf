/**
 * Goal: the dashboard and the alert rules name series that exist, and count what really happens.
 * Method: a real service with one session, whose `/metrics` is held against every expression of the
 * files; then its parts are killed.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { z } from 'zod'
import { packageRoot } from '../../../runtime/lib/package.ts'
import { browserPid, connectRaw } from '../../helpers/browser/browsers.ts'
import { until } from '../../helpers/lib/until.ts'
import {
  metricProblems,
  parseExposition,
  type MetricSample,
} from '../../helpers/monitoring/exposition.ts'
import { createSession, headless, startService } from '../../helpers/service/service.ts'

const read = (name: string) =>
  readFileSync(join(packageRoot, 'runtime/deploy/monitoring', name), 'utf8')

/** prometheus.io/docs/prometheus/latest/configuration/alerting_rules; promtool refuses other keys. */
const duration = z.string().regex(/^\d+(ms|[smhdwy])$/)
const text = z.string().min(1)
const ruleFile = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: text,
      interval: duration.optional(),
      rules: z.array(
        z.strictObject({
          alert: text.regex(/^Troupe\w+$/),
          expr: text,
          for: duration.optional(),
          labels: z.strictObject({ severity: z.enum(['critical', 'warning', 'info']) }),
          annotations: z.strictObject({ summary: text, description: text }),
        }),
      ),
    }),
  ),
})
const panel = z.object({
  id: z.number(),
  title: text,
  gridPos: z.object({ h: z.number(), w: z.number(), x: z.number(), y: z.number() }),
  targets: z.array(z.object({ expr: text, legendFormat: z.string() })).optional(),
})
const dashboardFile = z.object({ title: text, uid: text, panels: z.array(panel).min(20) })

const rules = ruleFile.parse(parse(read('alerts.yaml'))).groups.flatMap((group) => group.rules)
const { panels } = dashboardFile.parse(JSON.parse(read('dashboard.json')))
const targets = panels.flatMap((each) => each.targets ?? [])
const expressions = [...rules, ...targets].map(({ expr }) => expr)

/** Labels that Prometheus adds at a scrape. */
const ownLabels = ['instance', 'job']

const service = await startService({ env: { POOL_HEADLESS: '1', POOL_HEADFUL: '0' } })
t.teardown(() => service.stop())

const scrape = async () => {
  const { body } = await service.rest<string>('GET', '/metrics')
  const families = parseExposition(body)
  return { families, samples: families.flatMap((family) => family.samples) }
}

const session = await createSession(service.rest, headless)

/** After a host's next renewal of its record, its counters are at the gateway. */
async function scrapeOfOneSession() {
  return until('the session is counted', async () => {
    const found = await scrape()
    const isThere = (name: string) =>
      found.samples.some((sample) => sample.name === name && sample.value > 0)
    const counted = ['troupe_browser_wait_seconds_count', 'troupe_browser_boot_seconds_count']
    return [...counted, 'troupe_actors', 'troupe_store_bytes'].every(isThere) && found
  })
}

const reaches = (least: number, name: string, labels: Readonly<Record<string, string>> = {}) =>
  until(`${name} reaches ${least}`, async () => {
    const { samples } = await scrape()
    return samples.some(
      (sample) =>
        sample.name === name &&
        sample.value >= least &&
        Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    )
  })

interface Selector {
  readonly name: string
  readonly label: string
  readonly operator: string
  readonly value: string
}

const selectorsOf = (expr: string): readonly Selector[] =>
  [...expr.matchAll(/\b(troupe_\w+)\{([^}]*)\}/g)].flatMap(([, name = '', inside = '']) =>
    [...inside.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)].map(
      ([, label = '', operator = '', value = '']) => ({ name, label, operator, value }),
    ),
  )

function missing({ name, label, operator, value }: Selector, samples: readonly MetricSample[]) {
  const found = samples.filter((sample) => sample.name === name).map(({ labels }) => labels[label])
  // Where there are patterns, as of a status, a service without a fault need not have one.
  const words = value.split('|').filter((word) => /^\w+$/.test(word))
  if (!found.some((each) => each !== undefined)) return [`${name} has no label ${label}`]
  return words
    .filter((word) => !found.includes(word))
    .map((word) => `${name}{${label}${operator}"${word}"}`)
}

t.test('every series that the dashboard and the alerts name exists', async (t) => {
  const { families, samples } = await scrapeOfOneSession()
  t.same(metricProblems(families), [])
  const names = new Set(samples.map(({ name }) => name))
  const wanted = new Set(expressions.flatMap((expr) => expr.match(/\btroupe_\w+/g) ?? []))
  t.ok(wanted.size > 25)
  t.same(
    [...wanted].filter((name) => !names.has(name)),
    [],
  )
  const selectors = expressions.flatMap(selectorsOf)
  t.ok(selectors.length > 10)
  t.same(
    selectors.flatMap((selector) => missing(selector, samples)),
    [],
  )
})

t.test('every label by which they group or name lines exists', async (t) => {
  const { samples } = await scrape()
  const labels = new Set([...ownLabels, ...samples.flatMap((one) => Object.keys(one.labels))])
  const grouped = expressions.flatMap((expr) =>
    [...expr.matchAll(/\bby \(([^)]+)\)/g)].flatMap(([, list = '']) => list.split(', ')),
  )
  const named = targets.flatMap(({ legendFormat }) =>
    [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label),
  )
  t.same(
    [...grouped, ...named].filter((label) => !labels.has(label)),
    [],
  )
})

t.test('a fail-over and a crash are counted, and a restart counts from 0', async (t) => {
  await service.strike('actors')
  await reaches(1, 'troupe_actor_takeovers_total')
  const client = await connectRaw(session.cdp_url)
  process.kill(await browserPid(client), 'SIGKILL')
  await client.closed
  await reaches(1, 'troupe_browser_exits_total', { cause: 'crashed' })
  await service.strike('node-agent')
  const { families } = await until('the new agent reports', async () => {
    const found = await scrape()
    const isNew = ({ name, value, labels }: MetricSample) =>
      name === 'troupe_browser_exits_total' && labels['cause'] === 'crashed' && value === 0
    return found.samples.some(isNew) && found
  })
  t.same(metricProblems(families), [])
})

t.test('panels do not overlap, and alerts have names of their own', async (t) => {
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
  )
  t.equal(new Set(cells).size, cells.length)
  t.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  t.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length)
})
