// Goal: a report says what its records say and nothing else, and every figure can be traced to the
// version of a record. Method: pure generation over records made for it, and over random ones.
import fc from 'fast-check'
import t from 'tap'
import {
  reportAreasOf,
  generateReport,
} from '../../../../gateway/access/reports/generate/generate.ts'
import type { ReportMaterial } from '../../../../gateway/access/reports/generate/material.ts'
import { timeAxisOf } from '../../../../gateway/access/reports/generate/time-axis.ts'
import {
  reportFields,
  wholeAreas,
  withReportVisibility,
} from '../../../../runtime/access/report-visibility.ts'
import type { AreaKey } from '../../../../proto/access/areas/areas.ts'
import type { RecordFields } from '../../../../proto/access/areas/define-area.ts'
import { newRecordId } from '../../../../proto/access/areas/prefixes.ts'
import { areaDefinitions } from '../../../../proto/access/areas/registry.ts'
import type { ChangeView } from '../../../../proto/access/changes/change.ts'
import type { GrantView } from '../../../../proto/access/grants/grant.ts'
import { accessLimits } from '../../../../proto/access/limits.ts'
import { dayMs } from '../../../../proto/units.ts'
import { meetsConditions, type Permission } from '../../../../proto/access/permissions.ts'
import type { StoredRecord } from '../../../../proto/access/areas/record.ts'
import {
  reportKinds,
  reportSection,
  type ReportContent,
  type SectionBody,
} from '../../../../proto/access/reports/report-content.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import { demoMaterial } from '../../../helpers/access/jobs/demo-reports.ts'

const period = { from: '2026-03-01', to: '2026-03-31' }
const nowMs = Date.parse('2026-04-02T10:00:00Z')
const inMarch = '2026-03-12T10:00:00.000Z'
const inApril = '2026-04-01T00:00:00.000Z'

function record(area: AreaKey, fields: RecordFields, version = 1, at = inMarch): StoredRecord {
  const createdAtMs = Date.parse(at)
  const by = { kind: 'system', id: 'test' } as const
  return {
    ...{ v: 1, client: `cli_${'0'.repeat(26)}`, area, id: newRecordId(area), version, fields },
    ...{ createdAtMs, createdBy: 'test', updatedAtMs: createdAtMs, updatedBy: 'test' },
    _m: { by, at: createdAtMs, action: 'create', changed: [] },
  }
}

const material = (
  records: ReportMaterial['records'],
  more: Partial<ReportMaterial> = {},
): ReportMaterial => ({
  ...{ period, records, needs: [], grants: [], changes: [], nowMs },
  ...more,
})

function figuresOf({ sections }: ReportContent): Readonly<Record<string, number | null>> {
  const first = sections.find(({ kind }) => kind === 'metric')
  const { items } = first?.body as SectionBody<'metric'>
  return Object.fromEntries(items.map(({ label, value }) => [label, value]))
}
const headingsOf = ({ sections }: ReportContent) => sections.map(({ heading }) => heading)

const audit = (overall: number, finished_at: string, findings: readonly object[] = []) =>
  record('seo-audits', {
    ...{ site_url: 'https://shop.example/', strategy: 'mobile', status: 'completed', finished_at },
    scores: { overall, seo: overall, performance: 50, accessibility: null, best_practices: 90 },
    ...{ metrics: { lcp_ms: 2_400 }, pages_crawled: 12, findings },
  })
const finding = (title: string, severity: string, affected_count: number, status = 'open') => ({
  ...{ rule: title, category: 'content', severity, title, recommendation: 'Do it.', status },
  ...{ affected_count, affected: [{ url: 'https://shop.example/a' }] },
})

t.test(
  'an audit report: the newest audit beside the first, the most severe finding first',
  async (t) => {
    const found = [
      finding('small', 'low', 90),
      finding('wide', 'high', 9),
      finding('narrow', 'high', 2),
      finding('done', 'critical', 1, 'fixed'),
    ]
    const first = audit(58, '2026-03-03T08:00:00Z')
    const newest = audit(71, inMarch, found)
    const seo = [first, newest, audit(10, inApril)]
    const content = generateReport(
      { kind: 'audit', areas: ['seo-audits'] },
      material({ 'seo-audits': seo }),
    )
    t.equal(content.title, 'Audit of shop.example')
    t.match(figuresOf(content), {
      ...{ 'Overall score': 71, 'Critical findings': 0, 'High findings': 2, 'Pages checked': 12 },
    })
    t.match(content.summary, '71 of 100 points, 13 more than on 3 March 2026. 2 high and 1 low')
    t.same(
      content.sources.map(({ id }) => id).sort(),
      [first.id, newest.id].sort(),
      'what is not of the period is no source',
    )
    const last = content.sections.at(-1)!
    const { items } = last.body as SectionBody<'findings'>
    t.same(
      items.map(({ title }) => title),
      ['wide', 'narrow', 'small'],
    )
  },
)

t.test('two sites are kept apart, and so are two strategies of one', async (t) => {
  const other = { ...audit(90, inMarch), id: newRecordId('seo-audits') }
  const desktop = { ...other, fields: { ...other.fields, strategy: 'desktop' } }
  const seo = [audit(58, inMarch), desktop]
  const content = generateReport(
    { kind: 'audit', areas: ['seo-audits'] },
    material({ 'seo-audits': seo }),
  )
  t.match(Object.keys(figuresOf(content)), [/shop\.example \((mobile|desktop)\): Overall score/])
})

const task = (status: string, completed_at?: string, at?: string) =>
  record(
    'tasks',
    { title: `A ${status} task`, status, ...(completed_at && { completed_at }) },
    3,
    at,
  )

t.test('a work summary contains only what was completed in the period', async (t) => {
  const before = '2026-02-01T00:00:00Z'
  const done = task('completed', inMarch, before)
  const deployment = record('deployments', {
    ...{ environment: 'production', release: '1.2.0', status: 'failed', finished_at: inMarch },
  })
  const content = generateReport(
    { kind: 'work_summary', areas: ['tasks', 'deployments'] },
    material({
      tasks: [done, task('completed', inApril), task('completed', before), task('in_progress')],
      deployments: [deployment],
    }),
  )
  t.match(figuresOf(content), { 'Tasks completed': 1, Deployments: 1 })
  t.match(content.summary, '1 task was completed. 1 release was deployed; 1 failed or rolled back.')
  t.same(content.sources, [
    { area: 'tasks', id: done.id, version: 3 },
    { area: 'deployments', id: deployment.id, version: 1 },
  ])
})

t.test('metrics count and sum, and name no person', async (t) => {
  const deal = (status: string, value: number) =>
    record('opportunities', {
      ...{ name: 'Secret deal', status, amount: { value, currency: 'EUR' } },
      last_status_change_at: inMarch,
    })
  const monitor = record('monitoring', {
    ...{ name: 'Shop', kind: 'http', target: 'https://shop.example', uptime: { d30: 99.5 } },
    incidents: [{ started_at: inMarch }, { started_at: inApril }],
  })
  const content = generateReport(
    { kind: 'metrics', areas: reportAreasOf('metrics') },
    material({
      opportunities: [deal('won', 120_000), deal('won', 30_050), deal('lost', 5)],
      monitoring: [monitor],
    }),
  )
  t.match(figuresOf(content), {
    ...{ Uptime: 99.5, Incidents: 1, 'New opportunities': 3, Won: 2, 'Won, EUR': 150_050 },
  })
  t.notMatch(JSON.stringify(content), 'Secret deal')
})

t.test('an area that it may not contain is left out', async (t) => {
  const records = {
    tasks: [task('completed', inMarch)],
    opportunities: [record('opportunities', {})],
  }
  const content = generateReport({ kind: 'metrics', areas: ['tasks'] }, material(records))
  t.same(content.audience_areas, ['tasks'])
  t.same([...new Set(content.sources.map(({ area }) => area))], ['tasks'])
  t.same(headingsOf(content), ['At a glance', 'Tasks'])
})

const grant = (more: Partial<GrantView>): GrantView =>
  ({
    ...{ id: `gr_${'0'.repeat(26)}`, version: 4, status: 'active', startsAtMs: 0 },
    ...{ endsAtMs: nowMs + dayMs, subject: { kind: 'integration', id: 'newsletter' } },
    permissions: [{ area: 'contacts', actions: ['read'] }],
    ...more,
  }) as GrantView

t.test('an audit report lists who had access, and the concerns about it', async (t) => {
  const reviewed = { byMs: 0, status: 'missed' } as const
  const grants = [
    grant({}),
    grant({ id: `gr_${'1'.repeat(26)}`, lastUsedAtMs: nowMs, postReview: reviewed }),
    grant({ id: `gr_${'2'.repeat(26)}`, endedAt: Date.parse('2026-02-01') }),
  ]
  const content = generateReport({ kind: 'audit', areas: ['seo-audits'] }, material({}, { grants }))
  const items = (content.sections.at(-1)!.body as SectionBody<'findings'>).items
  t.match(items, [
    { severity: 'low', title: 'The integration newsletter has no recorded use of its access' },
    { severity: 'high', title: 'Emergency access was not reviewed afterwards' },
  ])
  t.equal(content.sources.length, 2, 'what had ended before is not of this period')
})

t.test('a work summary lists the changes that were completed in its period', async (t) => {
  const change = (n: number, status: string, atMs?: number): ChangeView =>
    ({
      ...{ id: `chg_${String(n).repeat(26)}`, version: 9, status },
      terms: { title: `Change ${n}`, kind: 'record_patch', risk: 'low' },
      result: atMs === undefined ? null : { atMs },
    }) as ChangeView
  const at = Date.parse(inMarch)
  const changes = [change(1, 'done', at), change(2, 'applying', at), change(3, 'scheduled')]
  changes.push(change(4, 'done', Date.parse(inApril)))
  const content = generateReport({ kind: 'work_summary', areas: [] }, material({}, { changes }))
  t.match(figuresOf(content), { 'Changes done': 1 })
  t.same(content.sources, [{ area: 'changes', id: changes[0]!.id, version: 9 }])
  const { rows } = content.sections.at(-1)!.body as SectionBody<'table'>
  t.same(rows, [['Change 1', 'Record patch', 'Low', '2026-03-12']])
})

t.test('more records than sources can be pinned are refused, with what to do', async (t) => {
  const tasks = Array.from({ length: accessLimits.reportSources + 1 }, () =>
    task('completed', inMarch),
  )
  t.throws(
    () => generateReport({ kind: 'work_summary', areas: ['tasks'] }, material({ tasks })),
    new ServiceError(
      'validation_failed',
      'More than 1000 records belong to this period; request a shorter period, or fewer areas.',
    ),
  )
})

/** Fields as each area accepts them. */
const random = fc.record({
  tasks: fc.array(fc.record({ done: fc.boolean(), day: fc.integer({ min: 0, max: 60 }) })),
  audits: fc.array(
    fc.record({
      score: fc.integer({ min: 0, max: 100 }),
      day: fc.integer({ min: 0, max: 60 }),
      titles: fc.array(fc.string({ minLength: 1, maxLength: 40 }), { maxLength: 5 }),
    }),
    { maxLength: 6 },
  ),
})

t.test('any records: the report fits its area, and every section has sources', async () => {
  const dayOf = (n: number) => new Date(Date.parse(period.from) + n * dayMs).toISOString()
  fc.assert(
    fc.property(random, fc.constantFrom(...reportKinds), (seed, kind) => {
      const tasks = seed.tasks.map(({ done, day }) =>
        task('completed', done ? dayOf(day) : undefined),
      )
      const audits = seed.audits.map(({ score, day, titles }) =>
        audit(
          score,
          dayOf(day),
          titles.map((title) => finding(`x${title.trim()}`, 'high', 1)),
        ),
      )
      const records = { tasks, 'seo-audits': audits }
      const content = generateReport({ kind, areas: reportAreasOf(kind) }, material(records))
      areaDefinitions.reports.record.parse(content)
      const known = [...tasks, ...audits]
      const isPinned = content.sources.every(({ id, version }) =>
        known.some((one) => one.id === id && one.version === version),
      )
      const isCited = content.sections.every(({ kind: of, body, sources }) => {
        const isEmpty =
          of === 'metric' && (body as SectionBody<'metric'>).items.every(({ value }) => value === 0)
        return (sources.length > 0 || isEmpty) && sources.every((n) => n < content.sources.length)
      })
      return isPinned && isCited
    }),
  )
})

t.test('the demo’s records make a report of each kind', async (t) => {
  for (const kind of reportKinds) {
    const content = generateReport({ kind, areas: reportAreasOf(kind) }, demoMaterial(nowMs))
    t.ok(content.sections.length >= 2, `${kind}: ${headingsOf(content)}`)
    for (const section of content.sections) t.same(reportSection.parse(section), section)
  }
})

t.test('steps are days, weeks or months, and count only what is in the period', async (t) => {
  t.match(timeAxisOf({ from: '2026-03-01', to: '2026-03-07' }), { axis: 'Day' })
  const weeks = timeAxisOf(period)
  t.match(weeks, { axis: 'Week from', labels: ['1 Mar', '2 Mar', '9 Mar'] })
  t.same(weeks.count(['2026-03-01T23:59:59Z', '2026-03-31T23:59:59Z', inApril]), [1, 0, 0, 0, 0, 1])
  t.match(timeAxisOf({ from: '2026-01-15', to: '2026-12-31' }), {
    ...{ axis: 'Month', labels: { length: 12 } },
  })
})

t.test('a report is visible to those who may see all of its areas', async (t) => {
  const reports: Permission = { area: 'reports', actions: ['read'] }
  const of = (more: Partial<Permission>): Permission => ({
    area: 'tasks',
    actions: ['read'],
    ...more,
  })
  const whole = [of({}), of({ fields: [...reportFields.tasks, 'body'] })]
  const part = [
    of({ actions: ['write'] }),
    of({ fields: ['title'] }),
    of({ where: [{ field: 'status', equals: ['completed'] }] }),
  ]
  const record = { status: 'published', audience_areas: ['tasks'] }
  const sees = (permission: Permission, fields: object, drafts = false) => {
    const [own] = withReportVisibility([reports, permission], { drafts })
    return meetsConditions(own!, fields as RecordFields)
  }
  for (const one of whole) t.ok(sees(one, record), JSON.stringify(one))
  for (const one of part) {
    t.same(wholeAreas([one]), [])
    t.notOk(sees(one, record), JSON.stringify(one))
  }
  t.notOk(sees(of({}), { ...record, audience_areas: ['tasks', 'contacts'] }))
  t.ok(sees(of({}), { status: 'published' }), 'one that was imported tells of no area')
  t.notOk(sees(of({}), { ...record, status: 'draft' }))
  t.ok(sees(of({}), { ...record, status: 'draft' }, true))
})
