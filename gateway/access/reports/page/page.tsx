/**
 * A report as one self-contained page: its style is inline and it has no script. The library
 * escapes all text.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../../../runtime/lib/package.ts'
import { toHtml } from '../../../html/markup.ts'
import type { ShownReport } from '../shown.ts'
import { ReportCover, ReportColophon } from './cover.tsx'
import { ReportSectionPart } from './section.tsx'
import { SourceList } from './sources.tsx'
import { plain } from './text.ts'

const style = readFileSync(join(packageRoot, 'gateway', 'web', 'report.css'), 'utf8')
const styleHash = createHash('sha256').update(style).digest('base64')

/** Loads nothing and allows only the page's own style. Also a `meta` element, for saved pages. */
export const pagePolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'`

export const reportHtml = (report: ShownReport): string =>
  `<!doctype html>\n${toHtml(<Page report={report} />)}`

function Page({ report }: { readonly report: ShownReport }) {
  const { title, client, sections } = report
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content={pagePolicy} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{plain(client.name === '' ? title : `${title} – ${client.name}`)}</title>
        <style dangerouslySetInnerHTML={{ __html: style }} />
      </head>
      <body>
        <main>
          <ReportCover report={report} />
          {sections.map((section, n) => (
            <ReportSectionPart key={n} section={section} place={n} />
          ))}
          <SourceList sources={report.sources} />
          <ReportColophon report={report} />
        </main>
      </body>
    </html>
  )
}
