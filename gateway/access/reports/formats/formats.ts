/**
 * Chooses the format of a report by `Accept` and renders it. All formats are made from the same
 * JSON.
 */
import Negotiator from 'negotiator'
import { ServiceError } from '../../../../proto/errors.ts'
import type { HttpReply } from '../../../server/http.ts'
import type { ShownReport } from '../shown.ts'
import { reportCsv } from './csv.ts'
import { reportFileName } from './file-name.ts'
import { reportJson } from './json.ts'
import { plainLook, type ReportLook } from '../page/look.ts'
import { reportHtml } from '../page/page.tsx'
import type { PdfPrinter } from './pdf.ts'

/** The first one is the default. */
export const formatsOf = ['application/json', 'text/html', 'text/csv', 'application/pdf'] as const
export type ReportFormat = (typeof formatsOf)[number]

export interface ReportFormatOptions {
  readonly look?: ReportLook
  /** The service's own address, for the link to a report's page in the portal. */
  readonly publicUrl?: string
}

/** Files that are passed on, for which reading a report is not enough. */
export const isExported = (format: ReportFormat): boolean =>
  format === 'text/csv' || format === 'application/pdf'

export class ReportFormats {
  readonly #printer: Pick<PdfPrinter, 'print'>
  readonly #look: ReportLook
  readonly #publicUrl: string

  constructor(
    printer: Pick<PdfPrinter, 'print'>,
    { look = plainLook, publicUrl = '' }: ReportFormatOptions = {},
  ) {
    this.#printer = printer
    this.#look = look
    this.#publicUrl = publicUrl
  }

  /** Throws `not_acceptable` (406) if `Accept` allows none of the formats. */
  named(accept: string | undefined): ReportFormat {
    const asked = new Negotiator({ headers: { accept } }).mediaType([...formatsOf])
    const format = formatsOf.find((one) => one === asked)
    if (format) return format
    const text = `A report is available as ${formatsOf.join(', ')}: name one of them in Accept.`
    throw new ServiceError('not_acceptable', text)
  }

  async reply(report: ShownReport, format: ReportFormat, gone: AbortSignal): Promise<HttpReply> {
    switch (format) {
      case 'application/json':
        return file(report, format, 'json', JSON.stringify(reportJson(report)))
      case 'text/csv':
        return file(report, 'text/csv; charset=utf-8; header=present', 'csv', reportCsv(report))
      case 'text/html': {
        const reply = file(report, 'text/html; charset=utf-8', 'html', this.#html(report), 'inline')
        const policy = {
          'content-security-policy': `sandbox; ${this.#look.policy}; frame-ancestors 'self'`,
        }
        return { ...reply, headers: { ...reply.headers, ...policy } }
      }
      case 'application/pdf': {
        const { name } = this.#look.letterhead
        const pdf = await this.#printer.print(report, this.#html(report), gone, name)
        return file(report, format, 'pdf', pdf)
      }
    }
  }

  #html(report: ShownReport): string {
    const base = this.#publicUrl
    const url = base === '' ? undefined : `${base}/portal/reports/${report.id}`
    return reportHtml(report, this.#look, url)
  }
}

function file(
  report: ShownReport,
  contentType: string,
  extension: string,
  body: string | Uint8Array,
  disposition: 'inline' | 'attachment' = 'attachment',
): HttpReply {
  return {
    status: 200,
    headers: {
      'content-type': contentType,
      'content-disposition': `${disposition}; filename="${reportFileName(report, extension)}"`,
      'cache-control': 'no-store',
      vary: 'authorization, accept',
      'referrer-policy': 'no-referrer',
    },
    body,
  }
}
