/**
 * A report as one CSV table (RFC 4180, UTF-8), with a line for each figure in all kinds of
 * sections. Cells that begin like a formula get a leading quote, so that spreadsheets read them as
 * text.
 */
import { stringify } from 'csv-stringify/sync'
import type { ReportSection } from '../../../../proto/access/reports/report-content.ts'
import type { ShownReport } from '../shown.ts'

type Cell = string | number | null | undefined
type Line = readonly Cell[]

const heads = ['section', 'item', 'measure', 'value', 'unit', 'sources']

export function reportCsv(report: ShownReport): string {
  const sources = report.sources.map(({ area, id, version }, n): Line => [
    ...['Sources', id, area, version, 'version', n],
  ])
  const lines: readonly Line[] = [
    heads,
    ...aboutLines(report),
    ...report.sections.flatMap(sectionLines),
    ...sources,
  ]
  const cells = lines.map((line) => line.map(toReportCell))
  return stringify(cells, { record_delimiter: '\r\n' })
}

const formula = /^[=+\-@\t\r]/

/** Numbers are converted to text too, because a leading minus also begins a formula. */
export function toReportCell(cell: Cell): string {
  const text = cell === null || cell === undefined ? '' : String(cell)
  return formula.test(text) ? `'${text}` : text
}

function aboutLines(report: ShownReport): Line[] {
  const { title, summary, client, kind, status, digest, published_at, period, id } = report
  const about: readonly (readonly [string, Cell])[] = [
    ['Title', title],
    ['Client', client.name],
    ['Kind', kind],
    ['From', period?.from],
    ['To', period?.to],
    ['Summary', summary],
    ['Status', status],
    ['Published', published_at],
    ['Report', id],
    ['Digest (SHA-256)', digest],
  ]
  return about
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([measure, value]) => ['Report', '', measure, value, '', ''])
}

function sectionLines(section: ReportSection): Line[] {
  const { heading } = section
  const from = section.sources.join(' ')
  const line = (item: Cell, measure: Cell, value: Cell, unit: Cell = ''): Line => [
    ...[heading, item, measure, value, unit, from],
  ]
  switch (section.kind) {
    case 'text':
      return [line('', 'Text', section.body)]
    case 'metric':
      return section.body.items.flatMap(({ label, value, before, unit, currency, note }) => [
        line(label, 'Now', value, currency ?? unit),
        ...(before === undefined ? [] : [line(label, 'Before', before, currency ?? unit)]),
        ...(note === undefined ? [] : [line(label, 'Note', note)]),
      ])
    case 'table':
      return section.body.rows.flatMap((row, n) =>
        section.body.columns.map(({ label, unit, currency }, i) =>
          line(n + 1, label, row[i], currency ?? unit),
        ),
      )
    case 'chart':
      return section.body.series.flatMap(({ name, values }) =>
        section.body.labels.map((label, i) => line(label, name, values[i], section.body.unit)),
      )
    case 'findings':
      return section.body.items.flatMap((finding) => [
        line(finding.title, 'Severity', finding.severity),
        line(finding.title, 'Category', finding.category),
        line(finding.title, 'Places', finding.affected_count, 'count'),
        line(finding.title, 'Description', finding.description),
        line(finding.title, 'What to do', finding.recommendation),
        ...finding.affected.map(({ url, evidence }) =>
          line(finding.title, 'Place', evidence === undefined ? url : `${url} (${evidence})`),
        ),
      ])
  }
}
