/** Sends a report as a file, in the format that was asked for. */
import { ServiceError } from '../../../../proto/errors.ts'
import { isExported, type ReportFormat } from '../../../access/reports/formats/formats.ts'
import type { FileAnswer } from '../../page.ts'
import type { Visit } from '../../visit.ts'
import { exportsReports } from './lookup.ts'

export const downloadFormats = {
  html: { type: 'text/html', label: 'HTML' },
  pdf: { type: 'application/pdf', label: 'PDF' },
  csv: { type: 'text/csv', label: 'CSV' },
  json: { type: 'application/json', label: 'JSON' },
} as const satisfies Readonly<Record<string, { type: ReportFormat; label: string }>>
type FormatName = keyof typeof downloadFormats
const formatNames = ['pdf', 'csv', 'json'] as const satisfies readonly FormatName[]

const isFormat = (name: string): name is FormatName => Object.hasOwn(downloadFormats, name)

export const contentHref = (visit: Visit, id: string, format: FormatName): string =>
  visit.at(`/reports/${id}/content/${format}`)

/** What is offered; the route decides. */
export const downloadsOf = (visit: Visit, id: string): readonly FormatName[] => {
  const client = visit.find('report', id)?.tenant
  const mayExport = client !== undefined && exportsReports(visit, client)
  return formatNames.filter((name) => mayExport || !isExported(downloadFormats[name].type))
}

/** Throws the route's errors: `withdrawn`, or `unavailable` if no browser can print a PDF. */
export async function sendContent(visit: Visit): Promise<FileAnswer> {
  const name = visit.param('format')
  if (!isFormat(name))
    throw new ServiceError('not_found', 'Reports are not available in this format.')
  const act = { params: { id: visit.param('id') }, accept: downloadFormats[name].type }
  const { acts } = visit.deps
  return { file: await acts.file(visit.facts, 'GET /v1/reports/{id}/content', act) }
}
