/**
 * A report as one self-contained page: its style is inline and it has no script. The library
 * escapes all text.
 */
import { toHtml } from '../../../html/markup.ts'
import type { ShownReport } from '../shown.ts'
import { ReportCover, ReportColophon } from './cover.tsx'
import { LetterheadPart } from './letterhead.tsx'
import { plainLook, type ReportLook } from './look.ts'
import { ReportSectionPart } from './section.tsx'
import { SourceList } from './sources.tsx'
import { plain } from './text.ts'

interface Props {
  readonly report: ShownReport
  readonly look: ReportLook
  /** The report's page in the portal. */
  readonly url: string | undefined
}

export const reportHtml = (
  report: ShownReport,
  look: ReportLook = plainLook,
  url: string | undefined = undefined,
): string => `<!doctype html>\n${toHtml(<Page report={report} look={look} url={url} />)}`

function Page({ report, look, url }: Props) {
  const { title, client, sections } = report
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content={look.policy} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{plain(client.name === '' ? title : `${title} – ${client.name}`)}</title>
        <style dangerouslySetInnerHTML={{ __html: look.style }} />
      </head>
      <body>
        <main>
          <LetterheadPart letterhead={look.letterhead} />
          <ReportCover report={report} />
          {sections.map((section, n) => (
            <ReportSectionPart key={n} section={section} place={n} sources={report.sources} />
          ))}
          <SourceList report={report} url={url} />
          <ReportColophon report={report} />
        </main>
      </body>
    </html>
  )
}
