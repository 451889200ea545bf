/** Reports with little, much and odd data, and a letterhead. */
import { reportLook } from '../../../../gateway/access/reports/page/look.ts'
import type { ShownReport } from '../../../../gateway/access/reports/shown.ts'
import type { RecordFields } from '../../../../proto/access/areas/define-area.ts'
import { newRecordId } from '../../../../proto/access/areas/prefixes.ts'
import type { StoredRecord } from '../../../../proto/access/areas/record.ts'
import {
  seoCategories,
  seoSeverities,
} from '../../../../proto/access/areas/marketing-work/seo-audits.ts'
import { newAccessId } from '../../../../proto/access/ids.ts'
import { dayMs } from '../../../../proto/units.ts'
import { reportKinds } from '../../../../proto/access/reports/report-content.ts'
import type { ReportArea } from '../../../../runtime/access/report-visibility.ts'
import { shownOf } from './demo-reports.ts'

const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><rect width="48" height="48" rx="10" fill="#0b6e4f"/>' +
  '<path d="M12 34 24 12l12 22" fill="none" stroke="#fff" stroke-width="5"/></svg>'

export const sampleLook = reportLook({
  name: 'Northwind & Daughters',
  contact: ['hello@northwind.example', '+49 351 1234567', 'Bautzner Straße 1, 01099 Dresden'],
  colour: '#0b6e4f',
  logo: `data:image/svg+xml;base64,${Buffer.from(logo).toString('base64')}`,
})

type Made = readonly [ReportArea, RecordFields]

/** By kind and amount: `audit-much`. */
export function sampleReports(nowMs = Date.now()): Readonly<Record<string, ShownReport>> {
  const amounts = { little: [], much: much(nowMs), odd: odd(nowMs) }
  return Object.fromEntries(
    Object.entries(amounts).flatMap(([amount, made]) =>
      reportKinds.map((kind) => [`${kind}-${amount}`, reportOf(kind, made, nowMs)] as const),
    ),
  )
}

function reportOf(kind: (typeof reportKinds)[number], made: readonly Made[], nowMs: number) {
  const client = newAccessId('client', nowMs)
  const by = { kind: 'system', id: 'test' } as const
  const records = made.map(([area, fields], n): StoredRecord => {
    const at = nowMs - (n % 80) * dayMs
    return {
      ...{ v: 1, client, area, id: newRecordId(area, at), version: 1 + (n % 4), fields },
      ...{ createdAtMs: at, createdBy: 'test', updatedAtMs: at, updatedBy: 'test' },
      _m: { by, at, action: 'create', changed: [] },
    }
  })
  const areas = [
    'seo-audits',
    'monitoring',
    'opportunities',
    'content-gaps',
    'tasks',
    'deployments',
  ] as const
  const ofArea = areas.map((area) => [area, records.filter((one) => one.area === area)] as const)
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  return shownOf(kind, {
    period: { from: day(nowMs - 90 * dayMs), to: day(nowMs) },
    records: Object.fromEntries(ofArea),
    ...{ needs: [], changes: [], grants: [], nowMs },
  })
}

const times = <T>(n: number, make: (n: number) => T): T[] =>
  Array.from({ length: n }, (_, i) => make(i))

function much(nowMs: number): readonly Made[] {
  const at = (n: number) => new Date(nowMs - (n % 85) * dayMs).toISOString()
  const findings = times(40, (n) => ({
    ...{ rule: `rule-${n}`, category: seoCategories[n % 9], severity: seoSeverities[n % 4] },
    title: `Finding ${n + 1}: pictures are larger than they are shown`,
    recommendation: 'Serve them at the size at which they are shown, and as WebP or AVIF.',
    affected_count: 60 - n,
    affected: times(3, (i) => ({
      url: `https://shop.example/products/${n}/${i}`,
      evidence: '<img>',
    })),
  }))
  return [
    ...times(8, (n): Made => [
      'seo-audits',
      {
        ...{ site_url: 'https://shop.example/', status: 'completed', finished_at: at(n * 10) },
        scores: {
          overall: 80 - n,
          seo: 90 - n,
          performance: 60 - n,
          accessibility: 88,
          best_practices: 79,
        },
        ...{ metrics: { lcp_ms: 2_900, cls: 0.08, ttfb_ms: 410 }, pages_crawled: 200, findings },
      },
    ]),
    ...times(25, (n): Made => [
      'monitoring',
      {
        ...{ name: `Site ${n + 1} of the shop`, kind: 'http', target: 'https://shop.example' },
        ...{ status: 'up', uptime: { d30: 99.9 - n / 50 }, latency: { p50: 120 + n, p95: 900 } },
        incidents: times(n % 3, (i) => ({
          started_at: at(i + n),
          ended_at: at(i + n),
          cause: 'HTTP 503',
        })),
      },
    ]),
    ...times(120, (n): Made => [
      'opportunities',
      {
        ...{ name: 'Deal', status: ['open', 'won', 'lost'][n % 3], last_status_change_at: at(n) },
        amount: { value: 120_000 + n, currency: n % 5 === 0 ? 'USD' : 'EUR' },
      },
    ]),
    ...times(60, (n): Made => [
      'content-gaps',
      {
        ...{ topic: `Topic ${n}`, keyword: `how to bake bread number ${n}`, search_volume: 90 * n },
        status: ['identified', 'planned', 'published'][n % 3],
      },
    ]),
    ...times(300, (n): Made => [
      'tasks',
      { title: `Task ${n}: write the text of a product`, status: 'completed', completed_at: at(n) },
    ]),
    ...times(60, (n): Made => [
      'deployments',
      {
        ...{ environment: 'production', release: `2.${n}.0`, finished_at: at(n) },
        status: n % 7 === 0 ? 'failed' : 'succeeded',
      },
    ]),
  ]
}

function odd(nowMs: number): readonly Made[] {
  const at = new Date(nowMs - dayMs).toISOString()
  const long = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'
  return [
    [
      'seo-audits',
      {
        ...{ site_url: `https://${'very-long-'.repeat(5)}name.example/shop`, status: 'partial' },
        ...{ finished_at: at, scores: { overall: 58 } },
        summary: { critical: 2, high: 3, medium: 0, low: 1, passed: 40 },
      },
    ],
    ['monitoring', { name: long, kind: 'http', target: 'https://shop.example' }],
    ['opportunities', { name: 'x', status: 'won' }],
    ['opportunities', { name: 'y', status: 'won', last_status_change_at: at }],
    [
      'content-gaps',
      { topic: long, keyword: 'https://shop.example/a/b?c=d&'.repeat(4), status: 'planned' },
    ],
    ['tasks', { title: `${long} `.repeat(2), status: 'completed', completed_at: at }],
    ['tasks', { title: 'z', status: 'completed' }],
    [
      'deployments',
      { environment: 'staging', release: long.slice(0, 60), status: 'succeeded', finished_at: at },
    ],
    ['deployments', { environment: 'staging', release: '1', status: 'succeeded' }],
  ]
}
