// Goal: a report says nothing that its records do not hold: what is not recorded is neither zero nor
// "nothing". Method: generation over records that lack what a figure would need.
import t from 'tap'
import {
  generateReport,
  reportAreasOf,
} from '../../../../gateway/access/reports/generate/generate.ts'
import type { ReportMaterial } from '../../../../gateway/access/reports/generate/material.ts'
import type { RecordFields } from '../../../../proto/access/areas/define-area.ts'
import { newRecordId } from '../../../../proto/access/areas/prefixes.ts'
import type { StoredRecord } from '../../../../proto/access/areas/record.ts'
import type { GrantView } from '../../../../proto/access/grants/grant.ts'
import type {
  ReportContent,
  ReportKind,
  SectionBody,
} from '../../../../proto/access/reports/report-content.ts'
import type { ReportArea } from '../../../../runtime/access/report-visibility.ts'

const period = { from: '2026-03-01', to: '2026-03-31' }
const nowMs = Date.parse('2026-04-02T10:00:00Z')
const inMarch = '2026-03-12T10:00:00.000Z'

function record(area: ReportArea, fields: RecordFields): StoredRecord {
  const atMs = Date.parse(inMarch)
  const by = { kind: 'system', id: 'test' } as const
  return {
    ...{ v: 1, client: `cli_${'0'.repeat(26)}`, area, id: newRecordId(area), version: 1, fields },
    ...{ createdAtMs: atMs, createdBy: 'test', updatedAtMs: atMs, updatedBy: 'test' },
    _m: { by, at: atMs, action: 'import', changed: [] },
  }
}

function report(
  kind: ReportKind,
  records: readonly (readonly [ReportArea, RecordFields])[],
  more: Partial<ReportMaterial> = {},
): ReportContent {
  const areas = [...new Set(records.map(([area]) => area))]
  const byArea = Object.fromEntries(
    areas.map((area) => [
      area,
      records.flatMap(([of, fields]) => (of === area ? [record(of, fields)] : [])),
    ]),
  )
  const nothing = { needs: [], grants: [], changes: [] }
  const wanted = areas.length > 0 ? areas : reportAreasOf(kind)
  return generateReport(
    { kind, areas: wanted },
    { period, nowMs, ...nothing, records: byArea, ...more },
  )
}

function figure({ sections }: ReportContent, label: string) {
  const { items } = sections.find(({ kind }) => kind === 'metric')?.body as SectionBody<'metric'>
  return items.find((one) => one.label === label)
}

const audit = { site_url: 'https://shop.example/', status: 'completed', finished_at: inMarch }

t.test('an audit without its list of findings never says that nothing was found', async (t) => {
  const counted = report('audit', [
    [
      'seo-audits',
      {
        ...audit,
        scores: { overall: 58 },
        summary: { critical: 2, high: 0, medium: 1, low: 0, passed: 9 },
      },
    ],
  ])
  t.notMatch(counted.summary, 'Nothing was found')
  t.match(
    counted.summary,
    '58 of 100 points. 2 critical and 1 medium findings are counted. The findings themselves are not recorded.',
  )
  t.match(figure(counted, 'Critical findings'), { value: 2 })
  t.match(figure(counted, 'High findings'), { value: 0 })
  t.match(figure(counted, 'Pages checked'), { value: null, note: 'not recorded' })
  t.match(counted.summary, 'shop.example was audited on 12 March 2026')

  const bare = report('audit', [['seo-audits', audit]])
  t.match(bare.summary, 'Its findings are not recorded.')
  for (const label of ['Overall score', 'Critical findings', 'High findings']) {
    t.match(figure(bare, label), { value: null, note: 'not recorded' }, label)
  }
  t.notOk(
    bare.sections.some(({ heading }) => heading === 'Scores'),
    'no chart of scores that nobody measured',
  )
  const clean = report('audit', [['seo-audits', { ...audit, findings: [], pages_crawled: 0 }]])
  t.match(clean.summary, /^0 pages .*Nothing was found\.$/)
  t.match(figure(clean, 'Critical findings'), { value: 0, note: undefined })
})

t.test('a monitor that was never checked has no incidents to count', async (t) => {
  const monitor = { name: 'Shop', kind: 'http', target: 'https://shop.example' }
  const unchecked = report('metrics', [['monitoring', { ...monitor, status: 'unknown' }]])
  t.match(figure(unchecked, 'Incidents'), { value: null, note: 'not recorded' })
  t.match(figure(unchecked, 'Uptime'), { value: null, note: 'not recorded' })
  t.match(unchecked.summary, 'No check of 1 monitor is recorded.')
  const mixed = report('metrics', [
    ['monitoring', { ...monitor, status: 'unknown' }],
    ['monitoring', { ...monitor, status: 'up', uptime: { d30: 99 } }],
  ])
  t.match(figure(mixed, 'Uptime'), {
    value: 99,
    note: 'mean of 1 of 2 monitors, 30 days to 2 April 2026',
  })
  t.match(mixed.summary, 'No incident was seen by 1 monitor')
})

t.test('what ended on an unknown day is not counted as of this period', async (t) => {
  const metrics = report('metrics', [
    ['opportunities', { name: 'imported', status: 'won', amount: { value: 5, currency: 'EUR' } }],
    ['opportunities', { name: 'dated', status: 'won', last_status_change_at: inMarch }],
    [
      'opportunities',
      {
        ...{ name: 'priced', status: 'won', last_status_change_at: inMarch },
        amount: { value: 700, currency: 'EUR' },
      },
    ],
    ['tasks', { title: 'old', status: 'completed' }],
  ])
  t.match(figure(metrics, 'Won'), {
    value: 2,
    note: '0 lost; 1 more closed on a day that is not recorded',
  })
  t.match(figure(metrics, 'Won, EUR'), { value: 700, note: '1 of 2 have an amount' })
  t.match(figure(metrics, 'Tasks completed'), {
    value: 0,
    note: '1 new; 1 more completed on a day that is not recorded',
  })
  const work = report('work_summary', [
    ['deployments', { environment: 'staging', release: '1', status: 'succeeded' }],
    ['tasks', { title: 'old', status: 'completed' }],
  ])
  t.match(figure(work, 'Deployments'), {
    value: 0,
    note: '1 more ended on a day that is not recorded',
  })
  t.match(figure(work, 'Tasks completed'), {
    note: '1 more completed on a day that is not recorded',
  })
})

t.test('what a report leaves out is said', async (t) => {
  const task = { title: 'Task', status: 'completed', completed_at: inMarch }
  const tasks = Array.from({ length: 201 }, () => ['tasks', task] as const)
  const headings = (content: ReportContent) => content.sections.map(({ heading }) => heading)
  t.match(headings(report('work_summary', tasks)).at(-1), 'Tasks completed, the last 200 of 201')
  const finding = {
    ...{ rule: 'r', category: 'content', severity: 'low', title: 'x', recommendation: 'y' },
    affected_count: 1,
  }
  const findings = Array.from({ length: 203 }, () => finding)
  const sites = Array.from({ length: 7 }, (_, n) => {
    const site_url = `https://shop-${n}.example/`
    return ['seo-audits', { ...audit, site_url, findings: n === 6 ? findings : [] }] as const
  })
  const many = report('audit', [...sites].reverse())
  t.match(many.summary, '2 more sites audited, not in this report.')
  t.ok(headings(many).some((one) => one.endsWith(': The first 200 of 203 findings')))
})

t.test('access without a recorded use is not called unused', async (t) => {
  const grant = {
    ...{ id: `gr_${'0'.repeat(26)}`, version: 1, status: 'active', startsAtMs: 0 },
    ...{ endsAtMs: nowMs, subject: { kind: 'integration', id: 'planner' } },
    permissions: [{ area: 'tasks', actions: ['read'] }],
  } as unknown as GrantView
  const text = JSON.stringify(report('audit', [], { grants: [grant] }))
  t.match(text, 'no use recorded')
  t.notMatch(text, /"never"|has not used|Nothing was read/)
})
