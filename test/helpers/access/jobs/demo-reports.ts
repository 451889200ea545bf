/** Reports of each kind, generated from the demo's records, as a real client would get them. */
import { reportFields, type ReportArea } from '../../../../runtime/access/report-visibility.ts'
import { generateReport } from '../../../../gateway/access/reports/generate/generate.ts'
import type { ReportMaterial } from '../../../../gateway/access/reports/generate/material.ts'
import type { ShownReport } from '../../../../gateway/access/reports/shown.ts'
import { newAccessId, type ClientId, type PersonId } from '../../../../proto/access/ids.ts'
import { dayMs } from '../../../../proto/units.ts'
import type { ReportKind } from '../../../../proto/access/reports/report-content.ts'
import { reportDigest } from '../../../../proto/access/reports/report.ts'
import { demoRecords } from '../../../../runtime/access/demo/samples.ts'
import { DemoWorld } from '../../../../runtime/access/demo/world.ts'

const client: ClientId = `cli_${'0'.repeat(26)}`
const person: PersonId = `usr_${'0'.repeat(26)}`
const kinds = ['audit', 'metrics', 'work_summary'] as const

export function demoMaterial(nowMs: number, days = 60): ReportMaterial {
  const people = { ada: person, grace: person, mina: person, theo: person }
  const records = demoRecords(new DemoWorld(client, people, nowMs))
  const areas = Object.keys(reportFields) as ReportArea[]
  const ofArea = areas.map((area) => [area, records.filter((one) => one.area === area)] as const)
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  return {
    period: { from: day(nowMs - days * dayMs), to: day(nowMs) },
    records: Object.fromEntries(ofArea),
    needs: [],
    changes: [],
    grants: [],
    nowMs,
  }
}

export function shownOf(kind: ReportKind, material: ReportMaterial): ShownReport {
  const areas = Object.keys(material.records) as ReportArea[]
  const content = generateReport({ kind, areas }, material)
  const id = newAccessId('report', material.nowMs)
  return {
    ...content,
    ...{ id, version: 3, status: 'published', digest: reportDigest(id, content) },
    sections: [...content.sections],
    sources: [...content.sources],
    audience_areas: [...content.audience_areas],
    published_at: new Date(material.nowMs).toISOString(),
    client: { id: client, name: 'Golden Crust Bakery', timezone: 'Europe/Berlin' },
  }
}

export function demoReports(nowMs = Date.now()): Readonly<Record<ReportKind, ShownReport>> {
  const shown = kinds.map((kind) => [kind, shownOf(kind, demoMaterial(nowMs))] as const)
  return Object.fromEntries(shown) as Record<ReportKind, ShownReport>
}
